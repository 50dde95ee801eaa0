import { isObject } from '../../../src/wire/json.ts'
import type { Exchange } from './exchange.ts'

const columns = 120

/**
 * The only layout of an exchange file: a value that fits on a line has one line, and so has every event of a stream.
 */
export function printExchanges(exchanges: readonly Exchange[]): string {
  return `${print(exchanges, '', 'exchanges')}\n`
}

function print(value: unknown, indent: string, name: string): string {
  const line = JSON.stringify(value)
  const isBranch = isObject(value) || Array.isArray(value)
  const isWhole = isEvent(name) || (indent.length > 1 && line.length + indent.length <= columns)
  if (!isBranch || isWhole) return line
  const inner = `${indent} `
  const lines = Array.isArray(value)
    ? value.map((each) => inner + print(each, inner, name === 'stream' ? 'event' : ''))
    : Object.entries(value).map(
        ([key, member]) => `${inner}${JSON.stringify(key)}: ${print(member, inner, key)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function isEvent(name: string): boolean {
  return name === 'event'
}
