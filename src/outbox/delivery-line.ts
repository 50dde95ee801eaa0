import { type Delivery, type DeliveryDeps, deliverDue } from './deliver.ts'
import { outboxLimits } from './message.ts'
import type { ClaimOptions } from './outbox-store.ts'

/** Sends the emails, or the webhooks, of the outbox: a bounded number at a time, the next one as soon as one ends. */
export class DeliveryLine {
  readonly #kind: NonNullable<ClaimOptions['kind']>
  readonly #deps: DeliveryDeps
  readonly #onError: (error: unknown) => void
  readonly #sending = new Set<Delivery>()
  #claiming: Promise<void> | undefined
  /** A message has ended, or time has passed, since the running claim began. */
  #isDueAgain = false
  #isStopped = false

  constructor(
    kind: NonNullable<ClaimOptions['kind']>,
    deps: DeliveryDeps,
    onError: (error: unknown) => void,
  ) {
    this.#kind = kind
    this.#deps = deps
    this.#onError = onError
  }

  /** Sends what is due. Does not wait for it. */
  go(): void {
    if (this.#isStopped) return
    this.#isDueAgain = true
    this.#claiming ??= this.#claimAll()
      .catch(this.#onError)
      .finally(() => {
        this.#claiming = undefined
        if (this.#isDueAgain) this.go()
      })
  }

  /** Ends with the last message that is being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#claiming
    await Promise.all([...this.#sending].map(({ ended }) => ended.catch(() => undefined)))
  }

  async #claimAll(): Promise<void> {
    while (this.#isDueAgain && !this.#isStopped) {
      this.#isDueAgain = false
      await this.#claim()
    }
  }

  async #claim(): Promise<void> {
    const countMax = outboxLimits.sendingMax - this.#sending.size
    if (countMax <= 0) return
    const busy = [...this.#sending].map(({ accountId }) => accountId)
    const begun = await deliverDue(this.#deps, { kind: this.#kind, countMax, busy })
    for (const delivery of begun) {
      this.#sending.add(delivery)
      void delivery.ended.catch(this.#onError).finally(() => {
        this.#sending.delete(delivery)
        this.go()
      })
    }
  }
}
