/** Where a call of a stack stands, as the browser tells it. */
export interface Place {
  /** Of the function; empty where it has none. */
  readonly name: string;
  readonly url: string;
  /** From 1, as the column. */
  readonly line: number;
  readonly column: number;
}

const FRAMES = 20;
/** `at name (address:line:column)` or `at address:line:column`. */
const FRAME = /^\s*at (?:(.*?) \()?((?:https?|file|blob|data|webpack|about):\S*):(\d{1,9}):(\d{1,9})\)?\s*$/;

/** The first frames of a stack as the browser writes it, the innermost first; those of no script are left out. */
export function framesOf(stack: string): Place[] {
  return stack
    .split('\n')
    .flatMap((text): Place[] => {
      const [, name = '', url = '', line, column] = FRAME.exec(text) ?? [];
      return url === '' ? [] : [{ name, url, line: Number(line), column: Number(column) }];
    })
    .slice(0, FRAMES);
}
