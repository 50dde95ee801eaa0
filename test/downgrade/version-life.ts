import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Version } from './former-build.ts'

/** One data folder and one database, which several versions use one after the other. */
export interface Place {
  readonly folder: string
  readonly database: string
}

export interface Finished {
  readonly code: number
  readonly out: string
  readonly err: string
}

const requestsEach = 20

function spawn({ main }: Version, { folder, database }: Place, args: readonly string[]) {
  return Bun.spawn([process.execPath, main, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      TOLLGATE_DATABASE: database,
      TOLLGATE_DATA: join(folder, 'data'),
      TOLLGATE_LAME_DUCK_SECONDS: '0',
      TOLLGATE_DEMO: 'on',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

export async function runCommand(
  version: Version,
  place: Place,
  args: readonly string[],
): Promise<Finished> {
  const child = spawn(version, place, args)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Starts a version, sends requests, stops it. Returns the ids of the requests that it answered. */
export async function live(
  version: Version,
  place: Place,
  keys: readonly string[],
): Promise<string[]> {
  const child = spawn(version, place, ['serve', '--listen', '127.0.0.1:0'])
  const errors = new Response(child.stderr).text()
  const banner = await readBanner(child.stdout)
  const url = /ready at +(http:\S+)/.exec(banner)?.[1]
  const key = /API key +(sk-\w+)/.exec(banner)?.[1]
  if (url === undefined || key === undefined) {
    child.kill('SIGKILL')
    throw new Error(`${version.name} did not start: ${banner}${await errors}`)
  }
  const ids: string[] = []
  for (const each of [key, ...keys]) ids.push(...(await ask(url, each)))
  child.kill('SIGTERM')
  const code = await child.exited
  appendFileSync(join(place.folder, 'log'), `${version.name}\n${await errors}`)
  if (code !== 0) throw new Error(`${version.name} ended with code ${code}: ${await errors}`)
  return ids
}

async function ask(url: string, key: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const models = (await (await fetch(`${url}/v1/models`, { headers })).json()) as {
    data: { id: string }[]
  }
  const body = { model: models.data[0]?.id, messages: [{ role: 'user', content: 'hello' }] }
  return Promise.all(
    Array.from({ length: requestsEach }, async () => {
      const reply = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`HTTP ${reply.status}: ${text}`)
      return reply.headers.get('x-gateway-request-id') ?? ''
    }),
  )
}

async function readBanner(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    if (text.includes('Ctrl-C stops.')) break
  }
  return text
}
