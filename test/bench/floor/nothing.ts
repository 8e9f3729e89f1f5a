export async function nothing(): Promise<void> {
  await Promise.resolve();
}
