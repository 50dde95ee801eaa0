import { describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { type Rotated, rotateSecret } from '../../../src/app/secrets/rotate-secret.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { noteSecret, type OpenVault, openVault } from '../../../src/store/secrets/open-vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import {
  addResponse,
  contents,
  filled,
  former,
  opened,
  rotationOf,
  secret,
} from './rotation-fixture.ts'
import { steppedEngine } from './stepped-engine.ts'

const values = 3
const other = 'another new secret of the tests, long'
/** More than any rotation of so few values has. */
const stepsMax = 200

/** Calls `event` once, at the step with this number. `isReached` tells whether there were so many steps. */
function atStep(engine: Engine, wanted: number, event: () => Promise<void>) {
  let steps = 0
  const stepped = steppedEngine(engine, async () => {
    steps += 1
    if (steps === wanted) await event()
  })
  return { stepped, isReached: () => steps >= wanted }
}

/** Repeats the run with the event at every step in turn. Returns the number of steps. */
async function atEachStep(run: (wanted: number) => Promise<boolean>): Promise<number> {
  for (let wanted = 1; wanted <= stepsMax; wanted += 1) if (!(await run(wanted))) return wanted - 1
  throw new Error('there are too many steps')
}

interface RotationFixture {
  readonly engine: Engine
  /** A gateway that runs with the former secret. */
  readonly running: OpenVault
}

type Outcome = Rotated | 'unknown' | 'overtaken' | Error

interface Interleaving {
  readonly name: string
  /** Whether the gateway has both secrets, so that it needs no restart. */
  readonly hasBoth: boolean
  /** Whether the gateway notices the new key only in the event. */
  readonly isLate?: boolean
  /** Whether an earlier call has sealed everything again. */
  readonly isRepeated?: boolean
  event(rotation: RotationFixture): Promise<void>
  /** What the interrupted call may return. */
  isFine(outcome: Outcome): boolean
  readonly finalSecret: string
}

const isDone = (outcome: Outcome) => typeof outcome === 'object' && !(outcome instanceof Error)

/** What a gateway does when it reads that the keys have changed. */
async function notice({ engine, running }: RotationFixture): Promise<void> {
  await running.reload()
  await noteSecret(engine.db, 'one', running.secretId)
}

function rotateAs(
  rotation: RotationFixture,
  engine: Engine,
  newSecret: string,
  untilNoticed = () => notice(rotation),
): Promise<Outcome> {
  const secrets = [newSecret, former] as const
  return rotateSecret(rotationOf(engine, { secrets, untilNoticed })).catch(
    (error: unknown) => error as Error,
  )
}

const interleavings: readonly Interleaving[] = [
  {
    name: 'another call with the same secrets',
    hasBoth: false,
    event: async (rotation) => {
      expect(await rotateAs(rotation, rotation.engine, secret)).toMatchObject({
        waitingFor: ['one'],
      })
    },
    isFine: isDone,
    finalSecret: secret,
  },
  {
    name: 'another call that completes the rotation',
    hasBoth: true,
    event: async (rotation) => {
      expect(await rotateAs(rotation, rotation.engine, secret)).toMatchObject({ waitingFor: [] })
    },
    isFine: isDone,
    finalSecret: secret,
  },
  {
    name: 'a gateway that writes a value with the key that it has',
    hasBoth: true,
    event: async ({ engine, running }) => addResponse(engine, running, 'new', 'new'),
    isFine: isDone,
    finalSecret: secret,
  },
  ...[false, true].map(
    (isRepeated): Interleaving => ({
      name: `a gateway that writes with the former key before it notices the new one${isRepeated ? ', in a second call' : ''}`,
      isRepeated,
      hasBoth: true,
      isLate: true,
      event: async (rotation) => {
        await addResponse(rotation.engine, rotation.running, 'new', 'new')
        await notice(rotation)
      },
      isFine: isDone,
      finalSecret: secret,
    }),
  ),
  {
    name: 'a kill',
    hasBoth: false,
    event: async () => {
      throw new Error('killed')
    },
    isFine: (outcome) => outcome instanceof Error && outcome.message === 'killed',
    finalSecret: secret,
  },
  {
    name: 'another call with another new secret',
    hasBoth: false,
    event: async (rotation) => {
      expect(await rotateAs(rotation, rotation.engine, other)).toMatchObject({
        waitingFor: ['one'],
      })
    },
    isFine: (outcome) => outcome === 'overtaken' || isDone(outcome),
    finalSecret: other,
  },
]

describe.each(sharedFixtures('steps of a secret rotation'))('on $kind', (fixture) => {
  test.each(interleavings)('no value is lost by $name, at any step', async (each) => {
    const steps = await atEachStep(async (wanted) => {
      const engine = await fixture.openMigrated()
      const alone = await filled(engine, values)
      const running = each.hasBoth ? await opened(engine, secret, former) : alone
      const rotation = { engine, running }
      const untilNoticed = each.isLate ? async () => undefined : undefined
      if (each.isRepeated) await rotateAs(rotation, engine, secret, untilNoticed)
      const { stepped, isReached } = atStep(engine, wanted, () => each.event(rotation))
      const outcome = await rotateAs(rotation, stepped, secret, untilNoticed)
      const where = `at step ${wanted}: ${inspect(outcome)}`
      if (!isReached()) return false
      expect(each.isFine(outcome), where).toBe(true)

      await notice(rotation)
      const last = await rotateAs(rotation, engine, each.finalSecret)
      expect(isDone(last), `${where}, then ${inspect(last)}`).toBe(true)
      const after = await opened(engine, each.finalSecret)
      const kept = Array.from({ length: values }, (_, at) => `content ${at}`)
      for (const vault of [after, running])
        expect((await contents(engine, vault)).filter((text) => text !== 'new')).toEqual(kept)
      if (each.finalSecret === secret) expect(after.ring.sealKeys.size).toBeLessThanOrEqual(2)
      return true
    })
    expect(steps).toBeGreaterThan(10)
  })

  test('a database is opened with one state of its keys, whatever changes between two reads', async () => {
    const cases = [[secret, former], [former], [former, secret]]
    for (const secrets of cases) {
      await atEachStep(async (wanted) => {
        const engine = await fixture.openMigrated()
        await filled(engine, 1)
        const rotate = async () => {
          await rotateSecret(rotationOf(engine))
        }
        const { stepped, isReached } = atStep(engine, wanted, rotate)
        const vault = await openVault(stepped.db, secrets)
        if (!isReached()) return false
        const isNew = vault?.ring.currentId !== ''
        const expected = isNew && secrets[0] === secret ? 0 : secrets.indexOf(former)
        expect(vault?.secretIndex, `${secrets.length} secrets, step ${wanted}`).toBe(expected)
        return true
      })
    }
  })
})
