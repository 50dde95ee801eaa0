import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

test(
  'backup and rotation of the secret while a gateway answers, a restore only when it has stopped',
  async () => {
    const workspace = makeWorkspace(shopConfig(upstream.url, { replica: 'one' }))
    const run = (line: string) => runHere(workspace, line.split(' '))
    const asks = async (url: string) => {
      const answer = await askShop(url)
      await answer.text()
      return answer.status
    }
    let gateway = await startTollgate(workspace)
    expect(await asks(gateway.url)).toBe(200)
    expect((await run('backup one.tollgate')).stdout).toContain('rows')
    const early = await run('restore one.tollgate --replace --yes')
    expect(early.stderr).toContain('Replica "one" is running')

    const first = await run('secret rotate')
    expect(first.stdout).toContain('Restart with the new secret: one.')
    // The running gateway still opens the credential of its upstream, also after it reloads the catalogue.
    expect((await run('accounts create second')).code).toBe(0)
    expect((await run('apply')).code).toBe(0)
    expect(await asks(gateway.url)).toBe(200)
    expect((await run('doctor')).stdout).toContain('is being rotated; restart one')
    gateway.signal('SIGINT')
    expect(await gateway.exited).toBe(0)

    gateway = await startTollgate(workspace)
    expect(await asks(gateway.url)).toBe(200)
    expect((await run('secret rotate')).stdout).toContain('The rotation is complete')
    expect(await asks(gateway.url)).toBe(200)
    expect((await run('backup two.tollgate')).code).toBe(0)
    gateway.signal('SIGINT')
    expect(await gateway.exited).toBe(0)

    // A backup from before the rotation needs the former secret.
    const former = await run('restore one.tollgate --replace --yes')
    expect(former.stderr).toContain('belongs to another secret')
    const restored = await run('restore two.tollgate --replace --yes')
    expect([restored.stderr, restored.code]).toEqual(['', 0])
    gateway = await startTollgate(workspace)
    expect(await asks(gateway.url)).toBe(200)
    gateway.signal('SIGINT')
    expect(await gateway.exited).toBe(0)
    expect((await run('audit')).code).toBe(0)
  },
  patience(90_000),
)
