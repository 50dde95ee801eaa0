import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { missingPart } from '../../support/missing-part.ts'
import { patience } from '../../support/patience.ts'
import { productCommand } from '../../support/process/tollgate-process.ts'
import { type StartedGateway, startGateway } from './started-gateway.ts'

const readme = readFileSync(join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8')
const writtenBaseUrl = 'http://127.0.0.1:8080'
const stepMs = patience(60_000)

/** The code blocks below a mark such as `<!-- tested -->`, each with its first line. */
function blocksBelow(mark: string, language: string): [title: string, block: string][] {
  const pattern = new RegExp(`^<!-- ${mark} -->\n\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm')
  return [...readme.matchAll(pattern)].map(([, block = '']) => [block.split('\n')[0] ?? '', block])
}

interface CurlAnswer {
  readonly status: string
  readonly body: string
}

/** Runs a block in a shell as a reader would paste it, and returns the output of each curl. */
async function runCurls(block: string, gateway: StartedGateway): Promise<CurlAnswer[]> {
  const mark = '--status--'
  const prelude = `curl() { command curl --silent --show-error --max-time 30 --write-out '${mark}%{http_code}\\n' "$@"; }`
  const script = `${prelude}\n${block.replaceAll(writtenBaseUrl, gateway.baseUrl)}`
  const child = Bun.spawn(['bash', '-euc', script], {
    env: { PATH: process.env['PATH'] ?? '', KEY: gateway.key },
    stderr: 'pipe',
  })
  const [output, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(complaints).toBe('')
  expect(await child.exited).toBe(0)
  const answers = output.matchAll(new RegExp(`([\\s\\S]*?)${mark}(\\d+)\n`, 'g'))
  return [...answers].map(([, body = '', status = '']) => ({ status, body }))
}

if (Bun.which('curl') === null || Bun.which('bash') === null) {
  missingPart("the README's curl lines", 'curl and bash are needed; install them')
} else {
  describe("the README's curl lines against a fresh gateway", () => {
    let gateway: StartedGateway
    beforeAll(async () => {
      gateway = await startGateway()
    }, stepMs)
    afterAll(async () => {
      expect(await gateway.stop()).toBe(0)
    }, stepMs)

    test.each(blocksBelow('tested', 'bash'))(
      'are answered: %s',
      async (_, block) => {
        const answers = await runCurls(block, gateway)
        expect(answers.length).toBeGreaterThan(0)
        for (const { status, body } of answers) {
          expect(status).toBe('200')
          expect(body).toMatch(/demo-small|data: \[DONE\]/)
        }
      },
      stepMs,
    )

    test('cover the four protocols, streamed and not streamed, and the model lists', () => {
      const available = String(blocksBelow('tested', 'bash'))
      for (const text of ['/v1/chat/completions', '"stream": true', '/v1/models', '/v1beta/models'])
        expect(available).toContain(text)
      for (const text of ['/v1/responses', '/v1/messages', ':generateContent'])
        expect(available).toContain(text)
    })
  })
}

describe("the README's tollgate.yaml", () => {
  const text = blocksBelow('tested: config', 'yaml')[0]?.[1] ?? ''
  const env = {
    ONE_KEY: 'upstream-credential',
    A_PASSWORD: 'a long password',
    K1: 'brought-along-key-value-1',
  }

  test('loads without a warning', () => {
    const config = loadConfig({ vendors, env, cwd: tmpdir(), readFile: () => text })
    expect(config.listen).toEqual({ hostname: '127.0.0.1', port: 8080 })
    expect(config.file?.holdsSecrets).toBe(false)
    // An alert needs a mail server or a webhook of the reader.
    const { alerts: _alerts, ...lists } = config.provision
    for (const list of Object.values(lists)) expect(list.length).toBeGreaterThan(0)
  })

  test(
    'can be applied unchanged, and changes nothing the second time',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tollgate-readme-'))
      writeFileSync(join(folder, 'tollgate.yaml'), text)
      const apply = async () => {
        const child = Bun.spawn(productCommand(['apply']), {
          cwd: folder,
          env: { PATH: process.env['PATH'] ?? '', ...env },
          stderr: 'pipe',
        })
        const [output, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()])
        expect(complaints).toBe('')
        expect(await child.exited).toBe(0)
        return output
      }
      try {
        expect(await apply()).toContain('created')
        expect(await apply()).not.toMatch(/[1-9]\d* (?:created|changed)/)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    stepMs,
  )
})
