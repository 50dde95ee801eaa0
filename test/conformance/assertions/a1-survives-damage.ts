import { protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import type { ReplyEvent } from '../../../src/core/neutral/reply-event.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import { checkEventOrder } from '../check-event-order.ts'
import { bytesOf, decodePieces } from '../pipeline/decode-stream.ts'
import { randomBelow } from '../pipeline/random-cuts.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, repliesOf } from './assertion.ts'

const rounds = 6

/**
 * A1 with damaged streams: streams that lack an event, repeat one, or contain null, a wrong type or garbage decode
 * without throwing, and the resulting events keep the order that encoders rely on.
 */
export function a1SurvivesDamage(recordings: readonly Recording[]): Case[] {
  return protocolNames.map((protocol) => ({
    name: `A1 ${protocol}: damaged streams do not break the decoder`,
    run: (judge) => {
      for (const recording of repliesOf(recordings, protocol)) {
        if (recording.reply.form !== 'stream') continue
        for (let round = 0; round < rounds; round += 1) {
          const text = damage(recording.reply.text, round)
          judge.check(recording.name, () => orderProblems(recording, text))
        }
      }
    },
  }))
}

function orderProblems(recording: Recording, text: string): string[] {
  const events: ReplyEvent[] = decodePieces(recording, [bytesOf(text)])
  // Without the first event the start may be missing; everything else must hold.
  return checkEventOrder(events).filter((problem) => !problem.includes('the id'))
}

function damage(text: string, round: number): string {
  const blocks = text.split(/(?<=\r\n\r\n|[^\r]\n\n)/)
  const at = randomBelow(blocks.length)
  const block = blocks[at] ?? ''
  const damaged = [
    () => '',
    () => block + block,
    () => damageJson(block, null),
    () => damageJson(block, [{}, 7, 'x']),
    () => block.replace(/\}\s*$/, '\n\n'),
    () => block.replace('data:', 'date:'),
  ][round % 6]
  return blocks.with(at, damaged?.() ?? '').join('')
}

/** Puts a value of a wrong type somewhere into the event's JSON. */
function damageJson(block: string, wrong: unknown): string {
  const begin = block.indexOf('{')
  const value = begin < 0 ? undefined : parseJson(block.slice(begin))
  if (!isObject(value)) return block
  return `${block.slice(0, begin)}${JSON.stringify(damageValue(value, wrong))}\n\n`
}

function damageValue(value: unknown, wrong: unknown): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const at = randomBelow(value.length)
    return value.with(at, damageValue(value[at], wrong))
  }
  if (!isObject(value) || randomBelow(4) === 0) return wrong
  const names = Object.keys(value)
  const name = names[randomBelow(names.length)] ?? ''
  return { ...value, [name]: damageValue(value[name], wrong) }
}
