/** A model as a list shows it to a caller. */
export interface ModelListing {
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly createdAtMs: number
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number
}
