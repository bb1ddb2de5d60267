/** What the page's parts hand to a view. Types only. */

import type { Acceptance } from "./acceptance.js";
import type { BridgeApi } from "./bridge_api.js";
import type { Credentials } from "./credentials.js";
import type { CallControls } from "./call_controls.js";
import type { Devices } from "./devices.js";
import type { ExecutorClient } from "./executor_client.js";
import type { ChatApi } from "./chat_api.js";
import type { InlineCards } from "./inline_cards.js";
import type { Inventory } from "./inventory.js";
import type { PageGrants } from "./page_grants.js";
import type { Pins } from "./pins.js";
import type { ProbeFrames } from "./probe_frames.js";
import type { ReferenceDecisions } from "./reference_decisions.js";

export interface Parts {
  /** Name of the user whose browser this is. */
  user: string;
  api: BridgeApi;
  inventory: Inventory;
  pins: Pins;
  grants: PageGrants;
  credentials: Credentials;
  executor: ExecutorClient;
  acceptance: Acceptance;
  probes: ProbeFrames;
  devices: Devices;
  controls: CallControls;
  chat: ChatApi;
  /** Waiting calls that the view shows at their own place. */
  inline: InlineCards;
  /** Unpairs this browser and deletes what it keeps for its user. */
  leave: () => Promise<void>;
  references: ReferenceDecisions;
}
/** One page section. `start` draws into the element and begins to listen; `stop` ends all of that. Both idempotent. */
export interface View {
  start(container: HTMLElement): void | Promise<void>;
  stop(): void;
  /** Goes to another address of its own without being built anew; false: it cannot. */
  follow?(route: import("./navigation.js").Route): boolean;
}
