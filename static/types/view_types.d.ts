/** What the page's parts hand to a view. Types only. */

import type { BrowserStore } from "../base/browser_store.js";
import type { BridgeApi } from "../session/bridge_api.js";
import type { Credentials } from "../executor/credentials.js";
import type { CallControls } from "../session/call_controls.js";
import type { Devices } from "../session/devices.js";
import type { ExecutorClient } from "../session/executor_client.js";
import type { InlineCards } from "../session/pending_approvals.js";
import type { Inventory } from "../session/inventory.js";
import type { PageGrants } from "../approvals/grants.js";
import type { Pins } from "../executor/pins.js";
import type { ProbeFrames } from "../session/probe_frames.js";
import type { WebMcp } from "../session/web_mcp.js";
import type { ReferenceDecisions } from "../documents/reference_decisions.js";

export interface Parts {
  /** Name of the user whose browser this is. */
  user: string;
  userId: string;
  store: BrowserStore;
  api: BridgeApi;
  inventory: Inventory;
  pins: Pins;
  grants: PageGrants;
  credentials: Credentials;
  executor: ExecutorClient;
  probes: ProbeFrames;
  devices: Devices;
  controls: CallControls;
  webMcp: WebMcp;
  /** Waiting calls that the view shows at their own place. */
  inline: InlineCards;
  /** Unpairs this browser and deletes what it stores for its user. */
  leave: () => Promise<void>;
  references: ReferenceDecisions;
}
/** What turns the ids of a call's chat and browser into names. */
export interface OriginNames {
  /** Null: no conversation of the bridge has that id. */
  titleOf: (chatId: string) => Promise<string | null>;
  devices: Pick<Devices, "list">;
}
/** Shows itself where somebody needs it. Both idempotent. */
export interface Guide {
  element: HTMLElement;
  start(): void;
  stop(): void;
}
/** One page section. `start` draws into the element and begins to listen; `stop` ends all of that. Both idempotent. */
export interface View {
  start(container: HTMLElement): void | Promise<void>;
  stop(): void;
  /** Shows another of its addresses without being rebuilt; false: it cannot. */
  followRoute?(route: import("../ui/router.js").Route): boolean;
  /** Whether it has something typed that leaving it would lose. */
  readonly isUnsaved?: boolean;
}
