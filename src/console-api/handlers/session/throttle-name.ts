/** The name of a user in the throttle. An invited user is separate from the user with the same verified email. */
export function throttleName({
  email,
  invitedTo,
}: {
  readonly email: string
  readonly invitedTo: string | undefined
}): string {
  return invitedTo === undefined ? email : `${email} ${invitedTo}`
}
