import { expect, test } from 'bun:test'
import { RuleFollower } from '../../../src/ledger/budgets/follow-rules.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'

/** A database whose answers about limits are given by hand, in the order of the questions. */
function open() {
  const asked: PromiseWithResolvers<boolean>[] = []
  const givenBack: string[] = []
  const errors: string[] = []
  const follower = new RuleFollower({
    grants: {
      refreshRules: () => {
        const answer = Promise.withResolvers<boolean>()
        asked.push(answer)
        return answer.promise
      },
    },
    giveBack: ({ keyId }) => void givenBack.push(keyId),
    onError: (event) => void errors.push(event),
  })
  return { asked, givenBack, errors, follower }
}

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0)
  })

test.each([
  [true, ['k']],
  [false, []],
])('money under former limits is returned: changed is %p', async (isChanged, expected) => {
  const { follower, asked, givenBack } = open()
  follower.follow(new LeasePool('k', 'a'))
  expect(givenBack).toEqual([])
  asked[0]?.resolve(isChanged)
  await settled()
  expect(givenBack).toEqual(expected)
  follower.tick()
  expect(asked).toHaveLength(1)
})

test('a failed read is reported and repeated until the database has answered', async () => {
  const { follower, asked, givenBack, errors } = open()
  follower.follow(new LeasePool('k', 'a'))
  asked[0]?.reject(new Error('the database is away'))
  await settled()
  expect(errors).toEqual(['limits_not_read'])
  follower.tick()
  asked[1]?.resolve(true)
  await settled()
  expect(givenBack).toEqual(['k'])
  follower.tick()
  expect(asked).toHaveLength(2)
})

test('a change during a read needs another read, also if that one fails', async () => {
  const { follower, asked, givenBack } = open()
  const pool = new LeasePool('k', 'a')
  follower.follow(pool)
  follower.follow(pool)
  expect(asked).toHaveLength(2)
  asked[1]?.reject(new Error('the database is away'))
  await settled()
  asked[0]?.resolve(false)
  await settled()
  follower.tick()
  expect(asked).toHaveLength(3)
  asked[2]?.resolve(true)
  await settled()
  expect(givenBack).toEqual(['k'])
})
