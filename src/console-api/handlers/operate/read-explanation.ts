import { million, parseDecimal, parseDollars } from '../../../core/money/money.ts'
import { choiceReasons } from '../../../core/upstreams/attempt-note.ts'
import { priorities } from '../../../core/upstreams/priority.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import type {
  ExplainCandidate,
  ExplainCheck,
  ExplainHold,
  ExplainLeftOut,
  ExplainQueue,
} from '../../contract.ts'

interface Explanation {
  readonly checks: readonly ExplainCheck[]
  readonly failed: { readonly code: string; readonly message: string } | undefined
  readonly candidates: readonly ExplainCandidate[]
  readonly leftOut: readonly ExplainLeftOut[]
  readonly hold: ExplainHold | null
  readonly queue: ExplainQueue | null
}

/** Converts the gateway's explanation to the console's contract. */
export function readExplanation(answer: JsonObject): Explanation {
  const checks = listAt(answer, 'checks')
  const failed = checks.find((check) => check['passed'] === false)
  const model = textAt(answer, 'model')
  return {
    checks: checks.map((check) => ({
      name: textAt(check, 'check'),
      isPassed: check['passed'] === true,
      code: textAt(check, 'code') || null,
      detail: textAt(check, 'message'),
    })),
    failed: failed && { code: textAt(failed, 'code'), message: textAt(failed, 'message') },
    candidates: listAt(answer, 'tried').map(candidateOf),
    leftOut: listAt(answer, 'left_out').map((entry) => ({
      group: textAt(entry, 'group'),
      upstream: textAt(entry, 'upstream') || null,
      model,
      code: textAt(entry, 'code'),
      until: Date.parse(textAt(entry, 'until')) || null,
      why: textAt(entry, 'why'),
    })),
    hold: holdOf(answer),
    queue: queueOf(answer),
  }
}

function candidateOf(entry: JsonObject): ExplainCandidate {
  return {
    group: textAt(entry, 'group'),
    model: textAt(entry, 'model'),
    upstream: textAt(entry, 'upstream'),
    upstreamModel: textAt(entry, 'upstream_model'),
    credential: textAt(entry, 'credential') || null,
    priority: numberAt(entry, 'priority'),
    weight: numberAt(entry, 'weight'),
    why: choiceReasons.find((each) => each === entry['why']) ?? 'only',
    fallbackFrom: textAt(entry, 'fallback_from') || null,
  }
}

function queueOf({ queue }: JsonObject): ExplainQueue | null {
  if (!isObject(queue)) return null
  return {
    wouldWait: queue['would_wait'] === true,
    priority: priorities.find((each) => each === queue['priority']) ?? 'normal',
    secondsMax: numberAt(queue, 'seconds_max'),
    length: numberAt(queue, 'length'),
    lengthMax: numberAt(queue, 'length_max'),
  }
}

/**
 * The parts of the hold at the highest price: output up to its limit, features, the price per request, and the rest for
 * input, which the bytes of the body bound. The lines add up to the amount.
 */
function holdOf(answer: JsonObject): ExplainHold | null {
  const hold = answer['hold']
  if (!isObject(hold)) return null
  const amountNano = parseDollars(textAt(hold, 'dollars')) ?? 0n
  const outputTokens = numberAt(hold, 'output_tokens_max')
  const prices = listAt(answer, 'prices').map(pricesOf)
  const outputNano = (each: Prices) => (BigInt(outputTokens) * each.outputNano) / million
  const mostExpensive = prices.reduce<Prices | undefined>(
    (best, each) => (best === undefined || outputNano(each) > outputNano(best) ? each : best),
    undefined,
  )
  if (!mostExpensive) return { amountNano: String(amountNano), lines: [] }
  const output = outputNano(mostExpensive)
  const features = parseDollars(textAt(hold, 'features')) ?? 0n
  const input = amountNano - output - mostExpensive.requestNano - features
  const inputTokens =
    mostExpensive.inputNano === 0n ? 0n : (input * million) / mostExpensive.inputNano
  const lines = [
    line('input', Number(inputTokens), mostExpensive.inputNano, input),
    line('output', outputTokens, mostExpensive.outputNano, output),
    line('features', 1, features, features),
    line('request', 1, mostExpensive.requestNano, mostExpensive.requestNano),
  ]
  return {
    amountNano: String(amountNano),
    lines: lines.filter((each) => each.amountNano !== '0'),
  }
}

function line(
  name: string,
  tokens: number,
  priceNano: bigint,
  amountNano: bigint,
): ExplainHold['lines'][number] {
  return { name, tokens, priceNano: String(priceNano), amountNano: String(amountNano) }
}

interface Prices {
  readonly inputNano: bigint
  readonly outputNano: bigint
  readonly requestNano: bigint
}

/** With the group's factor; input is held at the highest of its prices. */
function pricesOf(entry: JsonObject): Prices {
  const factor = parseDecimal(numberAt(entry, 'factor'), 6) ?? million
  const scaled = (name: string) => ((parseDollars(textAt(entry, name)) ?? 0n) * factor) / million
  const inputs = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h'].map(scaled)
  return {
    inputNano: inputs.sort((left, right) => (left < right ? 1 : -1))[0] ?? 0n,
    outputNano: scaled('output'),
    requestNano: scaled('per_request'),
  }
}

function listAt(value: JsonObject, name: string): JsonObject[] {
  const list = value[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function textAt(value: JsonObject, name: string): string {
  const text = value[name]
  return typeof text === 'string' ? text : ''
}

function numberAt(value: JsonObject, name: string): number {
  const number = value[name]
  return typeof number === 'number' ? number : 0
}
