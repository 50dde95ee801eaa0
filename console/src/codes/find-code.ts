/** Returns undefined for a code of another gateway version. */
export function findCode<Code extends string>(
  codes: readonly Code[],
  text: string,
): Code | undefined {
  return codes.find((each) => each === text)
}
