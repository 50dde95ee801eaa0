import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody, chatPath } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { type DemoGateway, startDemoGateway } from '../gateways/demo-gateway.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { see, settle } from '../page/page-steps.ts'
import { signInAndSkipSetup } from '../page/signed-in.ts'

/* A new gateway, whose first administrator records, reads, exports and erases real requests of clients. */

const bodyBytesMax = 4_096
const pixel = `data:image/png;base64,${Buffer.from('a small picture').toString('base64')}`
const events = [roleChunk(), chunk('Good'), chunk(' day'), stopChunk(), done]
const answer = (message: object) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-x',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  })
const reply = (message: object): Behaviour => ({
  kind: 'reply',
  headers: { 'content-type': 'application/json' },
  body: answer(message),
})
const ask = (user: string, extra: object = {}) => JSON.stringify({ ...chatBody(), user, ...extra })
const picture = { type: 'image_url', image_url: { url: pixel } }

/**
 * The upstream continues after the client has disconnected. The gateway reads to the end, because the upstream bills
 * the whole answer.
 */
const whenLeft = Promise.withResolvers<void>()

interface Case {
  readonly name: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly behaviour?: Behaviour
  /** The client disconnects after the first part of the answer. */
  readonly leaves?: true
  readonly status: number
  /** The parts of the two bodies that the panel shows. */
  readonly shows: readonly [request: string, response: string]
}

const cases: readonly Case[] = [
  {
    name: 'JSON',
    body: ask('ann'),
    behaviour: reply({ content: 'Good morning to you' }),
    status: 200,
    shows: ['"user": "ann"', '"content": "Good morning to you"'],
  },
  {
    name: 'a stream',
    body: ask('ann', { stream: true }),
    behaviour: { kind: 'events', events, end: 'clean' },
    status: 200,
    shows: ['"stream": true', 'data: [DONE]'],
  },
  {
    name: 'an image and audio',
    body: ask('ann', { messages: [{ role: 'user', content: [picture] }] }),
    behaviour: reply({ content: null, audio: { id: 'a', data: 'UklGRg==', transcript: 'Hi' } }),
    status: 200,
    shows: [pixel, '"data": "UklGRg=="'],
  },
  {
    name: 'a body that is not text',
    body: Uint8Array.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]),
    status: 400,
    shows: ['This body is not text.', '"error"'],
  },
  {
    name: 'a body over the limit',
    body: ask('carol', { messages: [{ role: 'user', content: 'long '.repeat(2_000) }] }),
    behaviour: reply({ content: 'shorter' }),
    status: 200,
    shows: ['Truncated: only the beginning was recorded.', '"content": "shorter"'],
  },
  {
    name: 'an error of the upstream',
    body: ask('carol', { seed: 1 }),
    behaviour: { kind: 'status', status: 400, message: 'no such seed' },
    status: 400,
    shows: ['"seed": 1', '"error"'],
  },
  {
    name: 'a client that disconnects',
    body: ask('carol', { stream: true, seed: 2 }),
    behaviour: {
      kind: 'events',
      events,
      end: 'clean',
      gates: [undefined, undefined, whenLeft.promise],
    },
    leaves: true,
    status: 499,
    shows: ['"seed": 2', '"content":"Good"'],
  },
]

/** The request and the response as the client knows them. */
interface Sent {
  readonly id: string
  readonly got: string
}

interface ExportedLine {
  readonly requestId: string
  readonly status: number
  readonly endUsers: readonly string[]
  readonly request: { readonly text: string; readonly encoding: string; readonly isCut: boolean }
  readonly response: { readonly text: string }
}

browserSuite('recorded requests in Chromium', (chromiumPath) => {
  let upstream: FakeUpstream
  let gateway: DemoGateway
  let browser: Browser
  let page: Page
  let complaints: string[]
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-recorded-'))
  const sent = new Map<string, Sent>()

  beforeAll(async () => {
    upstream = await startFakeUpstream()
    const config = {
      demo: 'off',
      recordingBodyBytesMax: bodyBytesMax,
      provision: {
        models: [{ id: 'gpt-x', price: { input: 1, output: 1 } }],
        upstreams: [
          {
            id: 'one',
            vendor: 'openai-compatible',
            protocol: 'chat-completions',
            baseUrl: `${upstream.url}/v1`,
            credential: 'sk-upstream-0123456789abcdef',
            models: ['gpt-x'],
          },
        ],
      },
    }
    writeFileSync(join(folder, 'tollgate.yaml'), JSON.stringify(config))
    gateway = await startDemoGateway(['--config', join(folder, 'tollgate.yaml')])
    browser = await launchBrowser(chromiumPath)
    const storageState = await signInAndSkipSetup(gateway.signInUrl)
    ;({ page, complaints } = await openPage(browser, gateway.url, { storageState }))
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
    await upstream?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const recordedIds = async (): Promise<string[]> => {
    const response = await page.request.get('/console/api/accounts/local/recordings')
    const { rows } = (await response.json()) as { rows: { requestId: string }[] }
    return rows.map(({ requestId }) => requestId)
  }

  async function send({ body, behaviour, leaves, status }: Case): Promise<Sent> {
    if (behaviour) upstream.script('next', behaviour)
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}${chatPath}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body,
      signal: leaving.signal,
    })
    const id = response.headers.get('x-gateway-request-id') ?? ''
    if (!leaves) {
      expect(response.status).toBe(status)
      return { id, got: await response.text() }
    }
    let got = ''
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) {
      got += decoder.decode(piece, { stream: true })
      if (got.includes('Good')) break
    }
    leaving.abort()
    return { id, got }
  }

  test('the first administrator enables recording, and nothing before that is recorded', async () => {
    const [first] = cases
    if (first) await send(first)
    await visit(page, '/console/account?account=local')
    await page.getByRole('heading', { name: 'Recording', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Recording settings' })
    await form.getByLabel('All requests').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'hidden' })
    await see(page, 'Deleted after 30 days.')
    expect(await recordedIds()).toEqual([])
  })

  test('requests of every kind are recorded', async () => {
    for (const each of cases) sent.set(each.name, await send(each))
    const ids = [...sent.values()].map(({ id }) => id).sort()
    const recorded = await eventually('all are recorded', async () => {
      const found = await recordedIds()
      return found.length >= cases.length ? found : undefined
    })
    expect(recorded.toSorted()).toEqual(ids)
    whenLeft.resolve()
    await eventually('all are in the request log', async () => {
      const found = ids.map((id) => page.request.get(`/console/api/usage/${id}`))
      return (await Promise.all(found)).every((response) => response.ok())
    })
  })

  test.each(cases)('$name is shown in the request log', async ({ name, shows }) => {
    const id = sent.get(name)?.id ?? ''
    await visit(page, `/console/usage?account=local&open=${id}`)
    const panel = page.getByRole('dialog', { name: 'Request' })
    await panel.getByText(id).first().waitFor()
    await settle(page)
    await panel.getByRole('button', { name: 'Show content' }).click()
    for (const [index, part] of (['Request', 'Response'] as const).entries()) {
      const region = panel.getByRole('region', { name: new RegExp(`^${part} body`) })
      await region
        .getByText(shows[index] ?? '')
        .first()
        .waitFor()
    }
  })

  /** Exports with the form, and returns the lines by request id. */
  async function exportBy(endUser: string): Promise<Map<string, ExportedLine>> {
    await visit(page, '/console/account?account=local')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Export recordings' })
    await form.getByLabel('End-user ID').fill(endUser)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    await form.waitFor({ state: 'hidden' })
    const lines = (await text(await download.createReadStream())).split('\n').filter(Boolean)
    return new Map(
      lines.map((line) => {
        const read = JSON.parse(line) as ExportedLine
        return [read.requestId, read]
      }),
    )
  }

  test('an export has what was sent and what was received, byte for byte', async () => {
    const lines = await exportBy('')
    expect(lines.size).toBe(cases.length)
    for (const { name, body, status, leaves } of cases) {
      const { id, got } = sent.get(name) ?? { id: '', got: '' }
      const line = lines.get(id)
      const bytes = Buffer.from(body)
      const kept = Buffer.from(
        line?.request.text ?? '',
        line?.request.encoding === 'base64' ? 'base64' : 'utf8',
      )
      expect([name, line?.status]).toEqual([name, status])
      expect([name, kept.equals(bytes.subarray(0, bodyBytesMax))]).toEqual([name, true])
      expect([name, line?.request.isCut]).toEqual([name, bytes.length > bodyBytesMax])
      if (leaves) expect(line?.response.text).toStartWith(got)
      else expect([name, line?.response.text]).toEqual([name, got])
    }
    const ofAnn = await exportBy('ann')
    const names = cases.filter(({ body }) => String(body).includes('"user":"ann"'))
    expect([...ofAnn.keys()].sort()).toEqual(
      names.map(({ name }) => sent.get(name)?.id ?? '').sort(),
    )
    for (const { endUsers } of ofAnn.values()) expect(endUsers).toEqual(['ann'])
    expect((await exportBy('nobody')).size).toBe(0)
  })

  test('erasing one end user leaves the others', async () => {
    await visit(page, '/console/account?account=local')
    await page.getByRole('button', { name: 'Erase…' }).click()
    const form = page.getByRole('dialog', { name: 'Erase by end-user ID' })
    await form.getByLabel('End-user ID').fill('carol')
    await form.getByRole('button', { name: 'Erase recordings' }).click()
    const question = page.getByRole('dialog', { name: 'Erase all recordings of “carol”?' })
    await question.getByRole('button', { name: 'Erase recordings' }).click()
    await see(page, '3 recordings erased.')
    const left = cases.filter(({ body }) => !String(body).includes('"user":"carol"'))
    expect((await recordedIds()).sort()).toEqual(
      left.map(({ name }) => sent.get(name)?.id ?? '').sort(),
    )
    expect(complaints).toEqual([])
  })
})
