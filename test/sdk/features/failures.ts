import { describe, expect, test } from 'bun:test'
import { ask, type Fixture } from '../fixture.ts'
import { answers, faultMessage, type Script } from '../scripts/answer.ts'
import { scripts } from '../scripts/scripts.ts'
import type { Ear, Question, Raised } from '../sdk.ts'

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-7/
/**
 * The upstream's status, and the error for the client's SDK: a rejected credential of the gateway is not the client's
 * fault.
 */
const statuses = [
  { theirs: 400, ours: 400 },
  { theirs: 401, ours: 502 },
  { theirs: 403, ours: 502 },
  { theirs: 404, ours: 404 },
  { theirs: 429, ours: 429 },
  { theirs: 500, ours: 502 },
  { theirs: 529, ours: 503 },
]
const first = answers.text.pieces[0] ?? ''

/** All failures, as exceptions of the SDK. */
export function testFailures(fixture: Fixture): void {
  const { gateway, connect, sayStreamed } = fixture

  describe('the gateway’s own errors', () => {
    const rows: { status: number; key: Parameters<Fixture['connect']>[0]; model: string }[] = [
      { status: 401, key: 'disabled', model: 'gpt-x' },
      { status: 403, key: 'broke', model: 'gpt-x' },
      { status: 404, key: 'any', model: 'no-such-model' },
    ]
    test.each(rows)('$status', async ({ status, key, model }) => {
      const question = { model, prompt: 'Good morning' }
      expectRaised(fixture, await failureOf(connect(key).ask(question)), status)
      expectRaised(fixture, await failureOf(connect(key).stream(question)), status)
    })
  })

  describe.each(scripts)('over $protocol', (script) => {
    test.each(statuses)('the upstream’s $theirs', async ({ theirs, ours }) => {
      const { one } = gateway()
      for (const how of ['ask', 'stream'] as const) {
        one.script('next', { kind: 'status', status: theirs, message: faultMessage })
        const error = await failureOf(connect()[how](ask(script)))
        const { message } = expectRaised(fixture, error, ours)
        const isOurs = theirs === 401 || theirs === 403
        expect(message).toContain(isOurs ? 'credential' : faultMessage)
      }
    })

    test('a stream that begins with an error is an HTTP error', async () => {
      sayStreamed(script, {}, { events: [script.faultFrame] })
      const error = await failureOf(connect().stream(ask(script)))
      const { message } = expectRaised(fixture, error, 502)
      expect(message).toContain(faultMessage)
    })

    test('a stream that breaks in the middle', async () => {
      const { heard, error } = await breakOff(fixture, script, [script.faultFrame], 'clean')
      expect(heard).toBe(first)
      expect(error.message).toContain(faultMessage)
    })

    test('a truncated stream never ends cleanly', async () => {
      for (const end of ['cut', 'clean'] as const) {
        const { heard, error } = await breakOff(fixture, script, [], end)
        expect(heard).toBe(first)
        expect(error.message).not.toBe('')
      }
    })

    test('a client that disconnects also disconnects the upstream', async () => {
      const { one, clock } = gateway()
      const leave = new AbortController()
      sayStreamed(script, answers.text, { events: upTo(script, first), end: 'stall' })
      const asked = connect().stream(ask(script), {
        signal: leave.signal,
        onText: () => leave.abort(),
      })
      await failureOf(asked)
      // If the vendor continues to bill, the gateway reads the rest for a while.
      await clock.passTimeUntil(Promise.resolve(one.requests[0]?.whenAborted), 5_000)
    })
  })
}

function expectRaised({ sdk }: Fixture, error: Error, status: number): Raised {
  expect(error).toBeInstanceOf(sdk.errorClass(status))
  const raised = sdk.readError(error)
  expect(raised.status).toBe(status)
  if (raised.requestId !== undefined) expect(raised.requestId).toMatch(requestId)
  return raised
}

/** The frames up to the first piece of text. */
function upTo(script: Script, piece: string): readonly string[] {
  const frames = script.frames(answers.text)
  return frames.slice(0, frames.findIndex((frame) => frame.includes(JSON.stringify(piece))) + 1)
}

/** Ends a stream after its first piece of text, once the client has that piece. */
async function breakOff(
  { connect, sayStreamed }: Fixture,
  script: Script,
  last: readonly string[],
  end: 'clean' | 'cut',
): Promise<{ heard: string; error: Error }> {
  const isHeard = Promise.withResolvers<void>()
  // A comment at the end, so that the cut has its own gate.
  const events = [...upTo(script, first), ...last, ': \n\n']
  const gates = events.map((_, index) =>
    index === events.length - 1 - last.length ? isHeard.promise : undefined,
  )
  sayStreamed(script, answers.text, { events, gates, end })
  let heard = ''
  const ear: Ear = {
    onText: (text) => {
      heard += text
      if (heard === first) isHeard.resolve()
    },
  }
  const question: Question = ask(script)
  return { error: await failureOf(connect().stream(question, ear)), heard }
}

async function failureOf(asked: Promise<unknown>): Promise<Error> {
  try {
    await asked
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('it did not fail')
}
