/** The codes of an error and of its causes: of the system, of a driver, or an SQLSTATE. */
export function errorCodes(error: unknown): string[] {
  const codes: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each) codes.push(String(each.code))
    if ('errno' in each) codes.push(String(each.errno))
  }
  return codes
}
