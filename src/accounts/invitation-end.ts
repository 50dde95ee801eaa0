const dayMs = 24 * 60 * 60 * 1000

/** An invitation is valid for this time, as a link and in the console of the person. */
export const invitationLifetimeMs = 7 * dayMs

/** How long an expired invitation that nobody opened stays in the list of members, so that an owner can repeat it. */
export const expiredKeptMs = 30 * dayMs

interface InvitedRow {
  /** Null if a process of an earlier version wrote the invitation. */
  readonly invited_at: number | null
  readonly created_at: number
}

export function invitationEndMs({
  invited_at: invitedAt,
  created_at: createdAt,
}: InvitedRow): number {
  return (invitedAt ?? createdAt) + invitationLifetimeMs
}

/** When the invitation of a login expires; null for a verified login, and for one that was opened in time. */
export function openInvitationEndMs(
  row: InvitedRow & { readonly invited_to: string | null; readonly seen_at: number | null },
): number | null {
  return row.invited_to === null || row.seen_at !== null ? null : invitationEndMs(row)
}
