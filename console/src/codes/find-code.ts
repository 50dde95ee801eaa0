/** The code among those that are known; undefined for one of another version of the gateway. */
export function findCode<Code extends string>(
  codes: readonly Code[],
  text: string,
): Code | undefined {
  return codes.find((each) => each === text)
}
