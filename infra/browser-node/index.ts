export { findChromium, type ChromiumBinary } from './chromium/find.js';
export { NODE_ERRORS, NodeError, SESSION_ENDS, type NodeErrorCode, type SessionEnd } from './errors.js';
export type { ConnectEvent } from './connect-log.js';
export { startBrowserNode, type BrowserNode, type BrowserNodeConfig, type BrowserNodeStats } from './node.js';
export { readSettings, type NodeSettings } from './settings.js';
