import type { LogLevel } from '../../core/telemetry/log-level.ts'
import type { LogFields, LoggedEvent } from '../log.ts'
import {
  type OtlpSource,
  shortText,
  writeAttributes,
  writeResource,
  writeScope,
  writeTime,
} from './values.ts'

const severities: Readonly<Record<LogLevel, number>> = { debug: 5, info: 9, warn: 13, error: 17 }

/** Explanations of an event. About a request they may quote the client or the upstream. */
const explanations = new Set(['why', 'message'])

/**
 * An event as it leaves the process: with texts of limited length, and without explanations about a request, which may
 * contain a part of the prompt. The log of the process has them.
 */
export function outgoingEvent(event: LoggedEvent): LoggedEvent {
  const isAboutRequest = event.fields['requestId'] !== undefined
  const fields: Record<string, LogFields[string]> = {}
  for (const name in event.fields) {
    const value = event.fields[name]
    if (isAboutRequest && explanations.has(name)) continue
    fields[name] = typeof value === 'string' ? shortText(value) : value
  }
  return { ...event, fields }
}

/** The body of a request to /v1/logs. */
export function writeLogs(source: OtlpSource, events: readonly LoggedEvent[]): string {
  const scopeLogs = [{ scope: writeScope(source), logRecords: events.map(writeEvent) }]
  return JSON.stringify({ resourceLogs: [{ resource: writeResource(source), scopeLogs }] })
}

function writeEvent({ atMs, level, event, fields }: LoggedEvent): object {
  const { traceId, spanId, ...others } = fields
  return {
    timeUnixNano: writeTime(atMs),
    severityNumber: severities[level],
    severityText: level.toUpperCase(),
    eventName: event,
    body: { stringValue: event },
    attributes: writeAttributes(others),
    traceId,
    spanId,
  }
}
