// @ts-check
/** What only a browser needs that is not let in: loaded then. */
export { entranceView, mayBePaired } from "./entrance_view.js";
export { PairingPanel } from "./pairing_panel.js";
