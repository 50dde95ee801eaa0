import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { curlSnippets } from '../../../console/src/snippets/curl-snippets.ts'
import { sdkSnippets } from '../../../console/src/snippets/sdk-snippets.ts'
import { missingPart } from '../../support/missing-part.ts'
import { patience } from '../../support/patience.ts'
import { runSnippet } from '../../support/run-snippet.ts'
import { type StartedGateway, startGateway } from './started-gateway.ts'

const stepMs = patience(60_000)
const keyVariable = 'TOLLGATE_KEY'

const runnable = [...curlSnippets, ...sdkSnippets].flatMap(({ id, parts }) =>
  id.endsWith('-python') ? [] : [[id, parts] as const],
)

if (Bun.which('curl') === null) {
  missingPart("the console's snippets", 'curl is needed; install it')
} else {
  describe("the console's snippets work unchanged on a fresh gateway", () => {
    let gateway: StartedGateway
    beforeAll(async () => {
      gateway = await startGateway()
    }, stepMs)
    afterAll(async () => {
      expect(await gateway.stop()).toBe(0)
    }, stepMs)

    describe.each(runnable)('%s', (_id, parts) => {
      const programOf = (key: string) => {
        const all = parts({ root: gateway.baseUrl, key, model: 'demo-small' })
        const program = all.find(({ file }) => file !== undefined) ?? all[0]
        return program?.text ?? ''
      }

      test(
        'with the key in it',
        async () => {
          expect(await runSnippet(programOf(gateway.key))).toContain('You said')
        },
        stepMs,
      )

      test(
        'with the key in a variable',
        async () => {
          const program = programOf(`$${keyVariable}`)
          expect(program).not.toContain(gateway.key)
          const said = await runSnippet(program, { [keyVariable]: gateway.key })
          expect(said).toContain('You said')
        },
        stepMs,
      )
    })
  })
}
