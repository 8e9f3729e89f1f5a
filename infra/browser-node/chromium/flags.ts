import { statfs } from 'node:fs/promises';
import type { ChromiumBinary } from './find.js';

const SMALL_SHARED_MEMORY_BYTES = 512 * 1024 * 1024;

// No traffic of the browser's own: a session's traffic is what its pages ask for, and starting needs no network.
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-sync',
  '--no-pings',
  '--metrics-recording-only',
];

// No dialogs, no reporters, no key rings: nobody sits in front of this browser.
const UNATTENDED = [
  '--disable-breakpad',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-search-engine-choice-screen',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
];

// The same page gives the same bytes on every machine: software raster, one colour profile, no scroll bars, no sound.
// `--font-render-hinting` is left out: none, slight, full and nothing gave the same bytes and the same text widths at
// scale 1 and 2 (headless shell 156), so that it would only be one more difference to a driver's own launch.
const SAME_PIXELS = [
  '--disable-gpu',
  // WebGL without a graphics card, in full Chromium; the headless shell has it anyway.
  '--enable-unsafe-swiftshader',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--mute-audio',
  // A mouse, not a touch screen: media queries must not depend on the machine.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

// A page that nobody looks at runs at full speed, and navigation behaves as a driver expects.
const SAME_BEHAVIOUR = [
  '--allow-pre-commit-input',
  '--disable-back-forward-cache',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-ipc-flooding-protection',
  '--disable-renderer-backgrounding',
  '--unsafely-disable-devtools-self-xss-warnings',
];

// Ways around the proxy of a context: UDP of WebRTC, and QUIC. (The WebRTC flag without `force-` has no effect.)
const NO_SIDE_DOORS = ['--disable-quic', '--force-webrtc-ip-handling-policy=disable_non_proxied_udp'];

const DISABLED_FEATURES = [
  // Own requests at start-up or in the background.
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'Translate',
  // Plain http stays http: a target's base is what the operator configured.
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  // Playwright's drivers are written for these being off: request interception, unload, storage in frames.
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'ThirdPartyStoragePartitioning',
  // Holds back the first paint after a navigation, which a capture may then catch.
  'PaintHolding',
  'LensOverlay',
];

const ENABLED_FEATURES = ['CDPScreenshotNewSurface', 'SkipListAccountsWithoutGaiaCookies'];

export type FlagChoices = {
  binary: ChromiumBinary;
  profileFolder: string;
  /** Weakens isolation: a page that breaks the renderer owns the node's user. Only where the sandbox cannot start. */
  noSandbox: boolean;
  smallSharedMemory: boolean;
};

/** The command line of one session's browser, without the program itself. */
export function chromiumFlags(choices: FlagChoices): string[] {
  return [
    // A pipe, not a port: no page and no other user can reach it, and its end is the browser's end.
    '--remote-debugging-pipe',
    `--user-data-dir=${choices.profileFolder}`,
    '--no-startup-window',
    ...(choices.binary.headlessShell ? [] : ['--headless=new']),
    ...(choices.noSandbox ? ['--no-sandbox'] : []),
    ...(choices.smallSharedMemory ? ['--disable-dev-shm-usage'] : []),
    ...QUIET,
    ...UNATTENDED,
    ...SAME_PIXELS,
    ...SAME_BEHAVIOUR,
    ...NO_SIDE_DOORS,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    `--enable-features=${ENABLED_FEATURES.join(',')}`,
  ];
}

/** Containers often have 64 MiB of `/dev/shm`, on which large pages crash; a missing one counts as small. */
export async function hasSmallSharedMemory(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const { bsize, blocks } = await statfs('/dev/shm');
    return bsize * blocks < SMALL_SHARED_MEMORY_BYTES;
  } catch {
    return true;
  }
}
