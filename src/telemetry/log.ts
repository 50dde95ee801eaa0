import type { LogEvent } from '../core/telemetry/log-event.ts'
import type { LogLevel } from '../core/telemetry/log-level.ts'

/* One line of JSON per event. Text that looks like a secret is masked in every field. */

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface LoggedEvent {
  readonly atMs: number
  readonly level: LogLevel
  readonly event: LogEvent
  readonly fields: LogFields
}

export interface Log {
  /** Whether lines of this level are written. Callers can skip building a line that is not. */
  isOn(level: LogLevel): boolean
  debug(event: LogEvent, fields?: LogFields): void
  info(event: LogEvent, fields?: LogFields): void
  warn(event: LogEvent, fields?: LogFields): void
  error(event: LogEvent, fields?: LogFields): void
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Keys and tokens by their usual prefixes, bearer tokens, passwords in URLs and keys in queries. */
const secretLike =
  /\b(?:sk|pk|rk|xai|gsk)[-_][-_A-Za-z0-9]{8,}|\bAIza[-_A-Za-z0-9]{10,}|(?<=bearer\s{1,4})\S{8,}|(?<=:\/\/[^\s:@/]{0,100}:)[^\s/]+(?=@)|(?<=[?&]key=)[^&\s]+/gi

export function createLog(parts: {
  level: LogLevel
  nowMs: () => number
  write: (line: string) => void
  /** Fields of every line. */
  always?: LogFields | undefined
  /** Gets each event that is written, with its texts as they are. */
  tap?: (event: LoggedEvent) => void
}): Log {
  const at =
    (level: LogLevel) =>
    (event: LogEvent, fields: LogFields = {}) => {
      if (ranks[level] < ranks[parts.level]) return
      const atMs = parts.nowMs()
      parts.tap?.({ atMs, level, event, fields })
      const time = new Date(atMs).toISOString()
      // Mask each text separately: a match in the finished line could run over the quotes, and escapes hide word
      // boundaries.
      const line = JSON.stringify(
        { at: time, level, event, ...parts.always, ...fields },
        (_, value: unknown) => (typeof value === 'string' ? maskSecrets(value) : value),
      )
      parts.write(`${line}\n`)
    }
  const isOn = (level: LogLevel) => ranks[level] >= ranks[parts.level]
  return { isOn, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export function maskSecrets(text: string): string {
  return text.replace(secretLike, '[masked]')
}
