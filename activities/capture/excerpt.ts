import { redact } from '../../workflows/contract/index.js';

/** Redacting reads a text several times, so of a huge one only so many times the wanted length is read. */
const READ = 8;

/** The beginning of what a page said, without its secrets, at most `longest` characters. */
export function excerpt(text: string, longest: number): string {
  return redact(text.slice(0, READ * longest), longest);
}
