/** `at name (/path/file.ts:1:2)` or `at /path/file.ts:1:2`, with or without `async`. */
const FRAME = /^\s*at (?:async )?(?:(.+?) \()?(\/[^()]+?):(\d+):\d+\)?$/;

/** The calls in workflow code, innermost first, as `workflows/session.ts:70 open`; the SDK's own are left out. */
export function callsIn(stack: string): readonly string[] {
  return stack.split('\n').flatMap((line) => {
    const [, name = '', file = '', at = ''] = FRAME.exec(line) ?? [];
    if (!file.endsWith('.ts') || file.includes('/node_modules/')) return [];
    return [`${shortened(file)}:${at} ${name}`.trimEnd()];
  });
}

/** From the workflow folder on: where the sources were built says nothing. */
function shortened(file: string): string {
  const from = file.lastIndexOf('/workflows/');
  return from === -1 ? file : file.slice(from + 1);
}
