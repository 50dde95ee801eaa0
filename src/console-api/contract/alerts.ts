import { z } from 'zod'
import { alertDefinition, alertKinds } from '../../alerts/definition/alert.ts'
import { channels, messageStates } from '../../core/message-state.ts'
import type { EditWireOf, NewWireOf } from '../../fields/definition.ts'
import { shownShape } from '../../fields/definition.ts'
import { list, page, timeMs } from './shapes.ts'

/** An alert without the URL and the secret of its webhook. */
export const alertRow = z.strictObject({
  id: z.string(),
  ...shownShape(alertDefinition.fields),
  /** The host of the webhook; null for email. */
  urlHost: z.string().nullable(),
  /** Conditions that hold now and were reported. */
  crossings: z.number(),
  createdAt: timeMs,
})
export type AlertRow = z.infer<typeof alertRow>

/** GET /alerts?account=&after= : sorted by id. */
export const alertsAnswer = z.strictObject({
  ...page.shape,
  alerts: list(alertRow),
})
export type AlertsAnswer = z.infer<typeof alertsAnswer>

/** A condition that holds now and was reported, with the amounts of now. */
export const conditionRow = z.strictObject({
  kind: z.enum(alertKinds),
  /** The id of the account, key, user, upstream or credential. */
  subject: z.string(),
  accountId: z.string().nullable(),
  /** When it was reported. */
  since: timeMs,
  title: z.string(),
  text: z.string(),
  /** The values of the text, for programs: as in a webhook. */
  values: z.record(z.string(), z.string()),
})
export type ConditionRow = z.infer<typeof conditionRow>

/** GET /alerts/{id}/conditions?before= : newest first. */
export const conditionsAnswer = z.strictObject({
  ...page.shape,
  conditions: list(conditionRow),
})
export type ConditionsAnswer = z.infer<typeof conditionsAnswer>

/** POST /alerts → AlertRow */
export type CreateAlertRequest = NewWireOf<typeof alertDefinition>
/** PATCH /alerts/{id} → AlertRow */
export type AlertEditRequest = EditWireOf<typeof alertDefinition>

/** The result of a test message. */
export const testAnswer = z.strictObject({
  /** Null: the message was delivered. */
  problem: z.string().nullable(),
})
export type TestAnswer = z.infer<typeof testAnswer>

export const messageState = z.enum(messageStates)

/** A message that the gateway sent or tries to send. Never its content, which may contain a link. */
export const messageRow = z.strictObject({
  id: z.string(),
  /** `invitation`, `welcome`, `password-reset`, `security-notice`, `test`, or the kind of an alert. */
  purpose: z.string(),
  /** Null: of the gateway. */
  accountId: z.string().nullable(),
  alertId: z.string().nullable(),
  /** Null also when the alert was deleted. */
  alertName: z.string().nullable(),
  /** What the alert reports, in the language of the message; null for other messages. */
  title: z.string().nullable(),
  channel: z.enum(channels),
  /** The email address, or the host of a webhook. */
  target: z.string(),
  state: messageState,
  attempts: z.number(),
  /** Null unless the message waits. */
  nextAt: timeMs.nullable(),
  lastError: z.string().nullable(),
  createdAt: timeMs,
  /** When it was sent or given up. */
  endedAt: timeMs.nullable(),
  /** Whether the message was given up and can be sent again. */
  isResendable: z.boolean(),
  /** The id of the message that this one sends again, or null. */
  resendOf: z.string().nullable(),
})
export type MessageRow = z.infer<typeof messageRow>

/** GET /messages?account=&state=&before= : newest first, kept for 30 days after the end. */
export const messagesAnswer = z.strictObject({
  ...page.shape,
  messages: list(messageRow),
})
export type MessagesAnswer = z.infer<typeof messagesAnswer>

/** POST /messages/{id}/resend */
export const resendAnswer = z.strictObject({
  /** The id of the new message. */
  id: z.string(),
})
export type ResendAnswer = z.infer<typeof resendAnswer>
