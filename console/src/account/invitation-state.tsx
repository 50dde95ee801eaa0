import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AccountMember } from '../../../src/console-api/contract.ts'
import { formatMinute } from '../format/times.ts'

type Invited = Pick<AccountMember, 'isProven' | 'invitationEndsAt'>

export function isInvitationOver({ invitationEndsAt: end }: Pick<Invited, 'invitationEndsAt'>) {
  return end !== null && end <= Date.now()
}

/** The state of a member whose email is not verified. */
export function InvitationBadge({ member }: { member: Invited }) {
  const { t, i18n } = useTranslation()
  const { isProven, invitationEndsAt: end } = member
  if (isProven) return null
  if (end === null) return <Badge color="orange">{t('members.unproven')}</Badge>
  if (isInvitationOver(member)) return <Badge color="red">{t('members.invitationOver')}</Badge>
  return (
    <Badge color="orange">
      {t('members.invitedUntil', { time: formatMinute(end, i18n.language) })}
    </Badge>
  )
}
