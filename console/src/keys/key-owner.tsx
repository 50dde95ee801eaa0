import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import { sessionQuery } from '../api/queries.ts'

/** The owner of a key: the account, the user, or another user. */
export function KeyOwner({ row }: { row: KeyRow }) {
  const { t } = useTranslation()
  const user = useQuery(sessionQuery).data?.user
  if (row.ownerId === null) {
    return (
      <Badge color="blue" variant="light">
        {t('keys.service')}
      </Badge>
    )
  }
  const isYours = row.ownerId === user?.id
  return (
    <Text
      size="sm"
      lineClamp={2}
      maw={220}
      style={{ overflowWrap: 'break-word' }}
      title={row.ownerEmail ?? row.ownerId}
    >
      {isYours ? t('keys.yours') : <OwnerEmail email={row.ownerEmail} />}
    </Text>
  )
}

/** A long address breaks before its domain. */
function OwnerEmail({ email }: { email: string | null }) {
  const { t } = useTranslation()
  if (email === null) return t('keys.formerMember')
  const [name, ...domain] = email.split('@')
  return (
    <>
      {name}
      <wbr />
      {domain.map((part) => `@${part}`)}
    </>
  )
}

/** The kind of a key, and its owner if that is another user. */
export function KeyKind({ row }: { row: KeyRow }) {
  const { t } = useTranslation()
  if (row.ownerId === null) return <KeyOwner row={row} />
  return (
    <Group gap={6} wrap="nowrap">
      <Badge color="grape" variant="light">
        {t('keys.personal')}
      </Badge>
      <KeyOwner row={row} />
    </Group>
  )
}
