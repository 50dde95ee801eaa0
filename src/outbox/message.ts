import type { Channel } from '../core/message-state.ts'

export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The content: an email, or the body of a webhook. */
export type MessageContent = { readonly mail: MailContent } | { readonly body: string }

export interface NewMessage {
  readonly purpose: string
  /** Null means the gateway. */
  readonly accountId: string | null
  /** The alert that has the URL and the secret of a webhook. */
  readonly alertId: string | null
  readonly channel: Channel
  /** The email address, or the host of a webhook. */
  readonly target: string
  /** What an alert reports. The list shows it, so it holds no secret. */
  readonly title?: string
  readonly content: MessageContent
}

/** A message that this process is to send. */
export interface ClaimedMessage extends NewMessage {
  readonly seq: number
  /** The same in each attempt, also when the message is sent again, so that a receiver can recognise a repetition. */
  readonly deliveryId: string
  /** Attempts, including this one. */
  readonly attempts: number
  readonly createdAtMs: number
}

/** Limits of the outbox. */
export const outboxLimits = {
  /** Messages that wait in the whole database. Beyond that, new ones are dropped. */
  waitingMax: 10_000,
  /** The same for messages of alerts, so that invitations and new passwords always find room. */
  alertsMax: 9_000,
  /** Messages of the alerts of one account that wait. */
  accountMax: 1_000,
  /** Messages that wait for one webhook. */
  laneMax: 200,
  /** Emails, and webhooks, that one process sends at a time. */
  sendingMax: 8,
  /** Webhooks of one account among them: receivers that do not answer delay no other account. */
  accountSendingMax: 2,
  /** Pauses after each failed attempt. After the last one the message is given up. */
  pausesMs: [10_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000],
  /** One attempt, from the name look-up to the last byte of the answer. */
  attemptMs: 30_000,
  /** How long a replica may work on a message before another one tries. Longer than an attempt. */
  claimMs: 120_000,
  /** How often one message is sent again. */
  resendsMax: 20,
  /** More than the longest text of `deliveryProblemTexts` with its values. */
  errorCharactersMax: 800,
  /** How long the list shows a message after it was sent or given up. */
  keptMs: 30 * 24 * 60 * 60_000,
  sweepRows: 1_000,
} as const

/** An attempt that failed. The text is shown to operators and account owners: it holds no secret. */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure'
  /** Another attempt would fail in the same way. */
  readonly isPermanent: boolean

  constructor(message: string, options: { isPermanent?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.isPermanent = options.isPermanent ?? false
  }
}

/** One line without link tokens, for the list. */
export function errorLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text
    .replace(/#[\w-]{16,}/g, '#…')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, outboxLimits.errorCharactersMax)
}
