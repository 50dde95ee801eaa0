import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../tools/testing/free-port.mjs'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'tollgate-dev-'))
const limitMs = patience(120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of the sources, so that the test may change them. */
function copySources(): void {
  for (const part of ['src', 'tools', 'console', 'package.json', 'package-lock.json'])
    cpSync(join(root, part), join(folder, part), {
      recursive: true,
      filter: (path) => !/[\\/]dist(?:\.\w+)?$/.test(path),
    })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

test(
  'npm run dev restarts the gateway and reloads the console after a change, and Ctrl-C stops both',
  async () => {
    copySources()
    const consolePort = `${await freePort()}`
    const listen = `127.0.0.1:${await freePort()}`
    const flags = ['--console-port', consolePort, '--listen', listen, '--data', 'dev-data']
    const child = Bun.spawn(['node', join(folder, 'tools', 'dev.mjs'), ...flags], {
      cwd: folder,
      env: { ...process.env, TOLLGATE_LAME_DUCK_SECONDS: '0' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    let output = ''
    const read = async (stream: ReadableStream<Uint8Array>) => {
      for await (const bytes of stream) output += Buffer.from(bytes).toString()
    }
    void read(child.stdout)
    void read(child.stderr)
    const said = (what: string, pattern: RegExp) =>
      eventually(what, () => {
        if (child.exitCode !== null) throw new Error(`it stopped: ${output}`)
        return pattern.exec(output)?.[1]
      })
    try {
      const url = await said('the addresses', /Gateway +(http:\S+)[\s\S]*Ctrl-C stops both/)
      const pages = `http://127.0.0.1:${consolePort}/console`
      expect(await (await fetch(`${pages}/`)).text()).toContain('/console/@vite/client')
      // The gateway answers behind the console's server: 401 without a session, and neither 404 nor 502.
      expect((await fetch(`${pages}/api/session`)).status).toBe(
        (await fetch(`${url}/console/api/session`)).status,
      )

      const theme = join(folder, 'console', 'src', 'theme.ts')
      appendFileSync(theme, '\nexport const changedByTest = 1\n')
      await eventually('the changed module', async () => {
        const text = await (await fetch(`${pages}/src/theme.ts`)).text()
        return text.includes('changedByTest') || undefined
      })

      const before = output.length
      appendFileSync(join(folder, 'src', 'app', 'start', 'banner.ts'), '\n// changed\n')
      await eventually('the gateway is back at the same address', () => {
        const since = output.slice(before)
        return since.includes('src/app/start/banner.ts has changed') && since.includes('ready at')
          ? since.includes(url ?? '?') || undefined
          : undefined
      })
      expect((await fetch(`${url}/healthz`)).status).toBe(200)

      child.kill('SIGINT')
      expect(await child.exited).toBe(0)
      for (const closed of [`${url}/healthz`, `${pages}/`]) {
        const answer = await fetch(closed).catch(() => undefined)
        expect(answer).toBeUndefined()
      }
      // The project's own sources are unchanged.
      expect(readFileSync(join(root, 'console', 'src', 'theme.ts'), 'utf8')).not.toContain(
        'changedByTest',
      )
    } finally {
      child.kill('SIGKILL')
    }
  },
  limitMs,
)
