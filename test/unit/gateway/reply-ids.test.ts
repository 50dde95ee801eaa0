import { describe, expect, test } from 'bun:test'
import { mintId } from '../../../src/core/id.ts'
import { openReplyIds, replyIdOf } from '../../../src/gateway/reply/reply-ids.ts'

describe('ids of a reply and its items', () => {
  test('every item id leads to its reply, and no two are equal', () => {
    const mint = openReplyIds(mintId)
    const replyId = mint('resp_')
    const itemIds = ['rs_', 'msg_', 'fc_', 'fc_'].map(mint)
    expect(new Set(itemIds).size).toBe(4)
    for (const itemId of itemIds) {
      expect(replyIdOf(itemId, 'resp_')).toBe(replyId)
      expect(itemId.length).toBeLessThanOrEqual(64)
    }
  })

  test('two replies have nothing in common', () => {
    const [one, other] = [openReplyIds(mintId), openReplyIds(mintId)]
    expect(one('resp_')).not.toBe(other('resp_'))
    expect(one('msg_')).not.toBe(other('msg_'))
  })

  test.each(['msg_a', 'msg_68a1f0c2b3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8', 'resp_', '', '{"id":1}'])(
    'a foreign id: %s',
    (id) => {
      expect(replyIdOf(id, 'resp_')).toBeUndefined()
    },
  )
})
