import { Fault } from '../core/fault.ts'
import { isObject, type JsonObject } from '../wire/json.ts'

/** Some endpoints wrap their error in a list, others list several errors. The first error is enough. */
export function firstObject(value: unknown): JsonObject | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}

/** The first non-empty text: servers put their message in different fields. */
export function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

/** The message for an upstream error response that has no message of its own. */
export function messageOfStatus(status: number): string {
  return `The upstream answered with status ${status}.`
}

/** The message for an error without a message of its own, inside a response that began with status 200. */
export const silentErrorMessage = 'The upstream failed while it was answering.'

/** The fault for a response with status 200 that is no reply of its protocol and reports no error. */
export function unreadableReply(): Fault {
  return new Fault('upstream_error', 'The upstream sent a response that cannot be read. Try again.')
}

/** The error that a body reports in a message; without a message, the body counts as unreadable. */
export function reportedOrUnreadable(fault: Fault): Fault {
  return fault.details.isSilent === true ? unreadableReply() : fault
}
