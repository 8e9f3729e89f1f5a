/** Types of compile.mjs for its test. */
export function isBuilt(root: string): boolean;
export function build(root: string, report?: (line: string) => void): Promise<void>;
