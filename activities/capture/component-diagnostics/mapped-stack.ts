import type { CDPSession } from 'playwright-core';
import type { StackFrame } from '../../../workflows/contract/index.js';
import { plainUrl } from '../page-watch.js';
import { framesOf, type Place } from '../stack.js';
import type { Visit } from '../visit.js';
import { decodeDataUrl, readSourceMap, type SourceMap } from './source-map.js';

const SCRIPTS = 10;
/** Of one map; those of the largest applications have some ten million characters. */
const LONGEST_MAP = 32 * 1024 * 1024;
const MAPPING_MS = 5_000;
const LONGEST = { name: 100, url: 300 } as const;

/**
 * The stack as its sources have it. Maps are loaded by the page's own browser, from the origin of their script only; a
 * frame whose map cannot be had stays as the browser tells it.
 */
export async function mappedStack(visit: Visit, stack: string): Promise<StackFrame[]> {
  const frames = framesOf(stack);
  const maps = new Map<string, SourceMap>();
  await visit.bound.attempt(MAPPING_MS, async () => {
    const mapUrls = await mapUrlsOf(visit.cdp);
    for (const url of [...new Set(frames.map((frame) => frame.url))].slice(0, SCRIPTS)) {
      const map = await loadMap(visit, url, mapUrls.get(url));
      if (map !== undefined) maps.set(url, map);
    }
  });
  return frames.map((frame) => mapped(frame, maps.get(frame.url)));
}

function mapped({ name, url, line, column }: Place, map: SourceMap | undefined): StackFrame {
  const origin = map?.({ line, column });
  return {
    name: name.slice(0, LONGEST.name),
    url: origin === undefined ? plainUrl(url) : plainUrl(origin.source) || origin.source.slice(0, LONGEST.url),
    line: origin?.line ?? line,
    column: origin?.column ?? column,
    isMapped: origin !== undefined,
  };
}

/** The browser tells of every script that it has, and of its map, when its debugger is asked. */
async function mapUrlsOf(cdp: CDPSession): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>();
  const note = ({ url, sourceMapURL }: { url: string; sourceMapURL?: string }): void => {
    if (sourceMapURL) urls.set(url, sourceMapURL);
  };
  cdp.on('Debugger.scriptParsed', note);
  try {
    await cdp.send('Debugger.enable');
  } finally {
    cdp.off('Debugger.scriptParsed', note);
  }
  await cdp.send('Debugger.disable');
  return urls;
}

async function loadMap({ cdp }: Visit, script: string, mapUrl: string | undefined): Promise<SourceMap | undefined> {
  const address = mapUrl === undefined ? null : URL.parse(mapUrl, script);
  if (address === null) return undefined;
  const isData = address.protocol === 'data:';
  const text = isData ? decodeDataUrl(address.href) : await loaded(cdp, script, address);
  return text === undefined ? undefined : readSourceMap(text, isData ? script : address.href);
}

async function loaded(cdp: CDPSession, script: string, address: URL): Promise<string | undefined> {
  if (URL.parse(script)?.origin !== address.origin) return undefined;
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const { resource } = await cdp.send('Network.loadNetworkResource', {
    frameId: frameTree.frame.id,
    url: address.href,
    options: { disableCache: false, includeCredentials: true },
  });
  if (!resource.success || resource.stream === undefined) return undefined;
  return await streamed(cdp, resource.stream);
}

async function streamed(cdp: CDPSession, handle: string): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const { data, base64Encoded, eof } = await cdp.send('IO.read', { handle, size: 1024 * 1024 });
      const part = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
      parts.push(part);
      length += part.length;
      if (length > LONGEST_MAP) return undefined;
      if (eof) return Buffer.concat(parts).toString();
    }
  } finally {
    await cdp.send('IO.close', { handle });
  }
}
