import { languages } from '../../../core/text/language.ts'
import {
  alertRow,
  alertsAnswer,
  conditionsAnswer,
  messageState,
  messagesAnswer,
  resendAnswer,
  testAnswer,
} from '../alerts.ts'
import { oneOf, parameter, query } from '../inputs.ts'
import { managedBodies } from '../managed-bodies.ts'
import { cursor, limit, pageRows } from '../paging.ts'
import { doneAnswer } from '../shapes.ts'
import { accounts, type OperationTable, operator } from './operation.ts'

/**
 * Owners manage the alerts of their accounts. Without `?account=` a call covers all accounts that the caller owns; for
 * an administrator, the whole gateway.
 */
const owned = { ...accounts, role: 'owner' } as const
const narrowed = query({ account: parameter })

/** A body that creates an alert. */
const exampleAlert = {
  accountId: 'acme',
  name: 'Low credit',
  channel: 'webhook',
  url: 'https://hooks.example.com/alerts',
  secret: 'a-long-random-text-of-yours',
  kinds: ['credit_low'],
}

/** Alerts, and the messages that the gateway sends. */
export const alertOperations = {
  'GET /alerts': {
    ...owned,
    summary: 'List alerts by id',
    query: query({ account: parameter, after: cursor('text'), limit: limit(pageRows.alerts) }),
    answer: alertsAnswer,
  },
  'POST /alerts': {
    ...owned,
    summary: 'Create an alert',
    query: narrowed,
    body: managedBodies.newAlert,
    example: exampleAlert,
    answer: alertRow,
  },
  'GET /alerts/{id}': { ...owned, summary: 'Get an alert', query: narrowed, answer: alertRow },
  'PATCH /alerts/{id}': {
    ...owned,
    summary: 'Update an alert; absent members stay unchanged',
    query: narrowed,
    body: managedBodies.alertEdit,
    answer: alertRow,
  },
  'PUT /alerts/{id}': {
    ...owned,
    summary: 'Create or replace an alert; an absent URL or secret stays unchanged',
    query: narrowed,
    body: managedBodies.putAlert,
    example: exampleAlert,
    answer: alertRow,
  },
  'DELETE /alerts/{id}': {
    ...owned,
    summary: 'Delete an alert; its waiting messages are not sent',
    query: narrowed,
    answer: doneAnswer,
  },
  'GET /alerts/{id}/conditions': {
    ...owned,
    summary: 'List the active conditions of an alert, newest first',
    query: query({
      account: parameter,
      language: oneOf(languages),
      before: cursor('number', 'text'),
      limit: limit(pageRows.conditions),
    }),
    answer: conditionsAnswer,
  },
  'POST /alerts/{id}/test': {
    ...owned,
    isThrottled: true,
    summary: 'Send a test message now',
    query: narrowed,
    answer: testAnswer,
  },
  'GET /messages': {
    ...owned,
    summary: 'List sent, waiting and failed messages, newest first',
    query: query({
      account: parameter,
      state: oneOf(messageState.options),
      before: cursor('number'),
      limit: limit(pageRows.messages),
    }),
    answer: messagesAnswer,
  },
  'POST /messages/{id}/resend': {
    ...owned,
    summary: 'Send a failed message of an alert again',
    query: narrowed,
    answer: resendAnswer,
  },
  'POST /operate/mail/test': {
    ...operator,
    isThrottled: true,
    summary: 'Send a test email to yourself now',
    answer: testAnswer,
  },
} as const satisfies OperationTable
