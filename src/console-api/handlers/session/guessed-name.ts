/** What the throttle calls a login: an invited one is another than the one whose address it claims. */
export function guessedName({
  email,
  invitedTo,
}: {
  readonly email: string
  readonly invitedTo: string | undefined
}): string {
  return invitedTo === undefined ? email : `${email} ${invitedTo}`
}
