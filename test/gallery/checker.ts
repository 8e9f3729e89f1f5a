import type { PNG } from 'pngjs';
import { inkDistance, inkOf, inkShare, type Cell } from '../support/ink.js';

/** What is known of one gallery page's picture, checked in. Boxes are device pixels from the top left corner. */
export interface Facts {
  readonly size: { readonly width: number; readonly height: number };
  /** The colour that an element shows most of, and how much of it, 0 to 1. */
  readonly colours: readonly ColourFact[];
  /** Text whose characters have to look like characters: `cells` are the boxes of `text`, one a character. */
  readonly glyphs: readonly { readonly selector: string; readonly text: string; readonly cells: readonly Cell[] }[];
}

export interface ColourFact {
  readonly selector: string;
  readonly box: Cell;
  readonly colour: readonly [red: number, green: number, blue: number];
  readonly share: number;
}

/** Of a colour channel: what rasterisers may differ by. */
const TOLERANCE = 6;
const LEAST_INK = 0.06;
/** Two different characters of one font differ by more, two missing ones by nothing. */
const LEAST_DISTANCE = 0.03;

/** What is wrong with a picture, in words; nothing when it is right. Pure: it sees pixels and facts only. */
export function problemsOf(png: PNG, facts: Facts): readonly string[] {
  const { width, height } = facts.size;
  if (png.width !== width || png.height !== height) {
    return [`size: ${String(png.width)} × ${String(png.height)} instead of ${String(width)} × ${String(height)}`];
  }
  return [
    ...facts.colours.flatMap((fact) => problemOfColour(png, fact)),
    ...facts.glyphs.flatMap(({ selector, text, cells }) => problemOfGlyphs(png, selector, text, cells)),
  ];
}

/** The colour that most pixels of the box have, and their share. */
export function mainColour(png: PNG, box: Cell): Pick<ColourFact, 'colour' | 'share'> {
  const counts = new Map<number, number>();
  for (let y = box.y; y < box.y + box.height; y += 1) {
    for (let x = box.x; x < box.x + box.width; x += 1) {
      const colour = png.data.readUIntBE((y * png.width + x) * 4, 3);
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  const [colour, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0]);
  const share = Math.round((count / (box.width * box.height)) * 100) / 100;
  return { colour: [colour >> 16, (colour >> 8) & 255, colour & 255], share };
}

function problemOfColour(png: PNG, { selector, box, colour, share }: ColourFact): readonly string[] {
  const seen = mainColour(png, box);
  const off = Math.max(...colour.map((value, at) => Math.abs(value - (seen.colour[at] ?? NaN))));
  if (off > TOLERANCE) return [`colour of ${selector}: ${seen.colour.join()} instead of ${colour.join()}`];
  // A box of one colour where there was text on it is as wrong as another colour.
  if (Math.abs(seen.share - share) > 0.15) {
    return [`colour of ${selector}: ${String(seen.share)} of it instead of ${String(share)}`];
  }
  return [];
}

function problemOfGlyphs(png: PNG, selector: string, text: string, cells: readonly Cell[]): readonly string[] {
  const characters = Array.from(text);
  const inks = [...new Map(characters.flatMap((character, at) => inkEntry(png, character, cells[at])))];
  const faint = inks.filter(([, ink]) => inkShare(ink) < LEAST_INK).map(([character]) => character);
  const same = inks.flatMap(([one, ink], at) =>
    inks.slice(at + 1).flatMap(([other, its]) => (inkDistance(ink, its) < LEAST_DISTANCE ? [`${one}${other}`] : [])),
  );
  return [
    ...(faint.length > 0 ? [`glyphs of ${selector}: no ink for ${faint.join('')}`] : []),
    ...(same.length > 0 ? [`glyphs of ${selector}: the same for ${same.slice(0, 5).join(' ')}`] : []),
  ];
}

function inkEntry(png: PNG, character: string, cell: Cell | undefined): readonly [string, readonly boolean[]][] {
  return cell === undefined ? [] : [[character, inkOf(png, cell)]];
}
