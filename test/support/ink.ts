import type { PNG } from 'pngjs';
import { pixel } from './capture.js';

export interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Cells of the grid that a glyph's ink is compared on, in each direction. */
const GRID = 12;
/** Of a colour channel: anti-aliasing below this is no ink. */
const FAINT = 48;

/** Where a cell has ink, row by row: a part of the grid is set when any pixel in it differs from the cell's corner. */
export function inkOf(png: PNG, cell: Cell): readonly boolean[] {
  const paper = pixel(png, cell.x, cell.y);
  const grid = new Array<boolean>(GRID * GRID).fill(false);
  for (let y = 0; y < cell.height; y += 1) {
    for (let x = 0; x < cell.width; x += 1) {
      const [red, green, blue] = pixel(png, cell.x + x, cell.y + y);
      const distance = Math.max(Math.abs(red - paper[0]), Math.abs(green - paper[1]), Math.abs(blue - paper[2]));
      if (distance < FAINT) continue;
      grid[Math.floor((y * GRID) / cell.height) * GRID + Math.floor((x * GRID) / cell.width)] = true;
    }
  }
  return grid;
}

/** Share of the grid, 0 to 1, on which two inks differ. A missing glyph looks like every other missing glyph: 0. */
export function inkDistance(one: readonly boolean[], other: readonly boolean[]): number {
  return one.filter((set, at) => set !== other[at]).length / one.length;
}

export function inkShare(ink: readonly boolean[]): number {
  return ink.filter(Boolean).length / ink.length;
}

/** How many of twelve hues a cell shows: a colour emoji several, text none. */
export function huesOf(png: PNG, cell: Cell): number {
  const hues = new Set<number>();
  for (let y = 0; y < cell.height; y += 1) {
    for (let x = 0; x < cell.width; x += 1) {
      const [red, green, blue] = pixel(png, cell.x + x, cell.y + y);
      const most = Math.max(red, green, blue);
      const spread = most - Math.min(red, green, blue);
      if (spread < 40) continue;
      const hue =
        most === red
          ? (green - blue) / spread
          : most === green
            ? 2 + (blue - red) / spread
            : 4 + (red - green) / spread;
      hues.add(Math.floor(((hue + 6) % 6) * 2));
    }
  }
  return hues.size;
}
