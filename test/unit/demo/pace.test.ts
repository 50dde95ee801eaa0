import { afterEach, describe, expect, test } from 'bun:test'
import { createDemoUpstream } from '../../../src/demo/upstream/demo-upstream.ts'
import { type StartedDemo, startDemo } from './start-demo.ts'

const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Good morning' }] }
const words = 10

function request(signal?: AbortSignal): Request {
  return new Request('http://demo.invalid/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** A sleep that reports when it starts and lasts until it is woken or aborted. */
function controlledSleep() {
  const asked: number[] = []
  const begun = Promise.withResolvers<AbortSignal | undefined>()
  const over = Promise.withResolvers<void>()
  const sleep = (durationMs: number, signal?: AbortSignal) => {
    asked.push(durationMs)
    signal?.addEventListener('abort', () => over.resolve())
    begun.resolve(signal)
    return over.promise
  }
  return { asked, sleep, begun: begun.promise, wake: over.resolve }
}

let demo: StartedDemo | undefined
afterEach(async () => {
  await demo?.stop()
  demo = undefined
})

describe('pace', () => {
  test('one pause for each word', async () => {
    const { asked, sleep, wake } = controlledSleep()
    wake()
    const response = await createDemoUpstream({ wordDelayMs: 7, sleep })(request())
    expect(await response.text()).toEndWith('data: [DONE]\n\n')
    expect(asked).toEqual(Array.from({ length: words }, () => 7))
  })

  test('nothing is generated before it is read', async () => {
    const { asked, sleep, wake } = controlledSleep()
    wake()
    const response = await createDemoUpstream({ wordDelayMs: 7, sleep })(request())
    const reader = response.body?.getReader()
    await reader?.read()
    expect(asked).toHaveLength(0)
    await reader?.read()
    await reader?.read()
    expect(asked).toHaveLength(2)
    await reader?.cancel()
  })

  test('an aborted request ends the pause and the stream, without a clean ending', async () => {
    const { asked, sleep, begun } = controlledSleep()
    const gone = new AbortController()
    const response = await createDemoUpstream({ wordDelayMs: 7, sleep })(request(gone.signal))
    const outcome = response.text().catch((error: unknown) => error)
    await begun
    gone.abort(new Error('gone'))
    expect(await outcome).toEqual(new Error('gone'))
    expect(asked).toHaveLength(1)
  })

  test('a client that disconnects ends the pause, over a real socket', async () => {
    const { asked, sleep, begun } = controlledSleep()
    demo = startDemo({ wordDelayMs: 7, sleep })
    const gone = new AbortController()
    const response = await fetch(`${demo.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: gone.signal,
    })
    const text = response.text().catch((error: unknown) => error)
    const signal = await begun
    const aborted = new Promise((resolve) => {
      signal?.addEventListener('abort', resolve)
    })
    gone.abort()
    await aborted
    expect(await text).toBeInstanceOf(Error)
    expect(asked).toHaveLength(1)
  })
})
