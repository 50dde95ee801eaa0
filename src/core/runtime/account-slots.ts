/** Counts the running operations of a process, so that one account cannot take all slots. */
export class AccountSlots {
  readonly #max: number
  readonly #perAccountMax: number
  #byAccount = new Map<string, number>()
  #total = 0

  constructor(max: number, perAccountMax: number) {
    this.#max = max
    this.#perAccountMax = perAccountMax
  }

  get total(): number {
    return this.#total
  }

  /** Whether there is room for one more. If true, the caller must call `end` later. */
  begin(accountId: string): boolean {
    if (!this.hasRoomFor(accountId)) return false
    this.#total += 1
    this.#byAccount.set(accountId, this.#ownOf(accountId) + 1)
    return true
  }

  hasRoomFor(accountId: string): boolean {
    return this.#total < this.#max && this.#ownOf(accountId) < this.#perAccountMax
  }

  end(accountId: string): void {
    this.#total -= 1
    this.#byAccount.set(accountId, (this.#byAccount.get(accountId) ?? 1) - 1)
    if (this.#total === 0) this.#byAccount = new Map()
  }

  #ownOf(accountId: string): number {
    return this.#byAccount.get(accountId) ?? 0
  }
}
