/** A model as listed to a caller. */
export interface ModelListing {
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly createdAtMs: number
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number
}
