import type { Generated } from 'kysely'

/** An outgoing message; see `outbox`. */
export interface OutboxTable {
  seq: Generated<number>
  /** Messages of one lane are sent one after another, oldest first. */
  lane: string
  /** The kind of the message: `invitation`, `password-reset`, or the kind of an alert. */
  purpose: string
  /** The account that the message belongs to; null means the gateway. */
  account_id: string | null
  alert_id: string | null
  /** `email`, `webhook` or `slack`. */
  channel: string
  /** For display: the email address, or the host of a webhook. */
  target: string
  /** JSON. Null once the message is sent. A message of an alert that was given up keeps it until it is sent again. */
  payload_sealed: string | null
  /** `waiting`, `sent` or `failed`. */
  state: string
  attempts: number
  next_at: number
  /** Until then one replica works on the message. */
  claimed_until: number
  last_error: string | null
  created_at: number
  ended_at: number | null
  /** What an alert reports, as in the message. Null for other messages. */
  title: Generated<string | null>
  /** The message that this one sends again. */
  first_seq: Generated<number | null>
}

/** An alert: conditions and where to report them; see `alerts`. */
export interface AlertTable {
  id: string
  /** Null means the whole gateway. */
  account_id: string | null
  name: string
  channel: string
  /** JSON list. */
  emails: string
  url_sealed: string | null
  /** The part of the URL that may be displayed. */
  url_host: string | null
  secret_sealed: string | null
  /** JSON list. */
  kinds: string
  credit_below_nano: bigint
  key_expiry_days: number
  spend_factor: number
  spend_floor_nano: bigint
  /** Of the texts: `en` or `zh`. */
  language: string
  enabled: number
  created_at: number
}

/** A condition that holds now and was reported. */
export interface AlertCrossingTable {
  alert_id: string
  kind: string
  subject: string
  since: number
}

/** A condition that a replica sees now. */
export interface AlertSightingTable {
  replica: string
  kind: string
  subject: string
  /** For display, such as the name of a credential. */
  detail: string
  at: number
}

export interface AlertTables {
  outbox: OutboxTable
  alert: AlertTable
  alert_crossing: AlertCrossingTable
  alert_sighting: AlertSightingTable
}
