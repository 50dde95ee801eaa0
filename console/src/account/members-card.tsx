import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  AccountDetail,
  AccountMember,
  AccountRole,
} from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { accountQuery, sessionQuery } from '../api/queries.ts'
import { IconSearch } from '../icons/icons.ts'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { useLastHolder } from '../parts/dialogs/use-last-holder.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { Select } from '../parts/forms/select.tsx'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { PageAnchor } from '../parts/page/page-anchor.tsx'
import { BudgetList } from '../parts/values/budget-list.tsx'
import { RateLimits } from '../parts/values/rate-limits.tsx'
import { AddMember } from './add-member.tsx'
import { InvitationBadge, isInvitationOver } from './invitation-state.tsx'
import { MemberLimits } from './member-limits.tsx'
import { roles } from './roles.ts'
import { useAddMember } from './use-add-member.tsx'

/** The members of an account. Owners can add, change and remove them. */
export function MembersCard({ account }: { account: AccountDetail }) {
  const { t } = useTranslation()
  const isOwner = account.yourRole === 'owner'
  const owners = account.members.filter(
    ({ role, isProven, isSuspended }) => role === 'owner' && isProven && !isSuspended,
  )
  const add = useAddMember(account)
  const { search, found, shown, setSearch, showAll } = useShownMembers(account.members)
  return (
    <Stack gap="sm" py="xs">
      {isOwner && <AddMember adding={add} />}
      {account.members.length > membersShown && (
        <TextInput
          aria-label={t('members.search')}
          placeholder={t('members.search')}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {found.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('nothingFound')}
        </Text>
      )}
      {shown.map((member) => (
        <MemberLine
          key={member.userId}
          account={account}
          member={member}
          isOwner={isOwner}
          isLastOwner={owners.length === 1 && owners[0] === member}
          onInvite={() => add.addOrNotify({ email: member.email, role: member.role })}
        />
      ))}
      {shown.length < found.length && (
        <Button variant="default" onClick={showAll}>
          {t('members.showAll', { total: found.length })}
        </Button>
      )}
      {account.members.some(({ isProven }) => !isProven) && (
        <Text size="xs" c="dimmed">
          {t('members.unprovenText')}
        </Text>
      )}
      {add.dialogs}
    </Stack>
  )
}

/** More members than these are shown on request, and can be searched. */
const membersShown = 20

/** The members that a search by address finds. You are always first. */
function useShownMembers(members: readonly AccountMember[]) {
  const yourId = useQuery(sessionQuery).data?.user?.id
  const [search, setSearch] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const wanted = search.trim().toLowerCase()
  const found = members
    .filter(({ email }) => email.toLowerCase().includes(wanted))
    .sort((one, other) => Number(other.userId === yourId) - Number(one.userId === yourId))
  const shown = showsAll ? found : found.slice(0, membersShown)
  return { search, setSearch, found, shown, showAll: () => setShowsAll(true) }
}

interface MemberLineProps {
  readonly account: AccountDetail
  readonly member: AccountMember
  readonly isOwner: boolean
  /** An account keeps its last owner. Users without a verified email do not count. */
  readonly isLastOwner: boolean
  /** Creates a new invitation link for an invited member. */
  readonly onInvite: () => void
}

function MemberLine(props: MemberLineProps) {
  const { account, member, isOwner, isLastOwner, onInvite } = props
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [ask, confirmation] = useConfirm()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [runForced, forceDialog] = useLastHolder()
  const user = useQuery(sessionQuery).data?.user
  const isYou = user?.id === member.userId
  const isFollowed = member.source === 'open-id'
  // An administrator can insist.
  const isFixed = isFollowed || (isLastOwner && user?.role !== 'admin')
  const key = accountQuery(account.id).queryKey
  const placeWith = (query: object) => ({
    params: { id: account.id },
    query: { user: member.userId, ...query },
  })
  const change = (next: (members: readonly AccountMember[]) => readonly AccountMember[]) => {
    const old = queries.getQueryData(key)
    if (old) queries.setQueryData(key, { ...old, members: next(old.members) })
    return () => old && queries.setQueryData(key, old)
  }
  const options = {
    onError: (error: unknown, _sent: unknown, undo: (() => unknown) | undefined) => {
      undo?.()
      notifyFailure(errorText(error))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  }
  const edit = useMutation({
    mutationFn: (role: AccountRole) =>
      runForced((query) =>
        runFresh(() =>
          call('PATCH /accounts/{id}/members', { ...placeWith(query), body: { role } }),
        ),
      ),
    onMutate: (role) =>
      change((members) =>
        members.map((each) => (each.userId === member.userId ? { ...each, role } : each)),
      ),
    onSuccess: async () => {
      if (isYou) await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
    ...options,
  })
  const chooseRole = (role: AccountRole | undefined) => {
    if (role === undefined || role === member.role) return
    if (!isYou) return edit.mutate(role)
    ask({
      title: t('members.stepDownTitle', { account: account.name }),
      text: t('members.stepDownText'),
      action: t('members.stepDown'),
      onYes: () => edit.mutate(role),
    })
  }
  const erase = useMutation({
    mutationFn: () => runForced((query) => call('DELETE /accounts/{id}/members', placeWith(query))),
    onMutate: () => change((members) => members.filter(({ userId }) => userId !== member.userId)),
    onSuccess: async () => {
      notifySuccess(
        isYou
          ? t('members.left', { account: account.name })
          : t('members.removed', { email: member.email }),
      )
      if (isYou) await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
    ...options,
  })
  return (
    <Group justify="space-between" gap="xs">
      <MemberFacts {...props} isYou={isYou} isFollowed={isFollowed} />
      <Group gap="xs">
        {isOwner && !member.isProven && (
          <Button size="xs" variant="light" onClick={onInvite}>
            {isInvitationOver(member) ? t('members.inviteAgain') : t('members.newLink')}
          </Button>
        )}
        {isOwner && <MemberLimits accountId={account.id} member={member} />}
        {isOwner ? (
          <Select
            aria-label={t('error.inField', { field: t('members.role'), message: member.email })}
            size="xs"
            w={120}
            data={roles.map((role) => ({ value: role, label: t(`members.role.${role}`) }))}
            value={member.role}
            disabled={isFixed}
            allowDeselect={false}
            onChange={(role) => chooseRole(roles.find((each) => each === role))}
          />
        ) : (
          <Badge color="gray">{t(`members.role.${member.role}`)}</Badge>
        )}
        {(isOwner || isYou) && (
          <Button
            size="xs"
            variant="subtle"
            color="red"
            disabled={isFixed}
            onClick={() =>
              ask({
                title: isYou
                  ? t('members.leaveTitle', { account: account.name })
                  : t('members.removeTitle', { email: member.email }),
                text: isYou ? t('members.leaveText') : t('members.removeText'),
                action: isYou ? t('members.leave') : t('members.remove'),
                onYes: () => erase.mutate(),
              })
            }
          >
            {isYou ? t('members.leave') : t('members.remove')}
          </Button>
        )}
      </Group>
      {confirmation}
      {freshDialog}
      {forceDialog}
    </Group>
  )
}

interface MemberFactsProps extends Omit<MemberLineProps, 'onInvite'> {
  readonly isYou: boolean
  /** Whether groups at the identity provider control the membership. */
  readonly isFollowed: boolean
}

function MemberFacts(props: MemberFactsProps) {
  const { account, member, isOwner, isLastOwner, isYou, isFollowed } = props
  const { t } = useTranslation()
  // Until the email is verified, an owner has the rights of a member.
  const rights = member.role === 'owner' && !member.isProven ? 'member' : member.role
  return (
    <div style={{ flex: '1 1 220px', minWidth: 0 }}>
      <Group gap={6}>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {member.email}
        </Text>
        {isYou && <Badge color="petrol">{t('members.you')}</Badge>}
        {member.isAdmin && <Badge color="gray">{t('members.admin')}</Badge>}
        {member.isSuspended && <Badge color="red">{t('members.suspended')}</Badge>}
        <InvitationBadge member={member} />
        {isFollowed && <Badge color="blue">{t('members.openId')}</Badge>}
      </Group>
      <Text size="xs" c="dimmed">
        {member.hasSignedIn ? t(`members.roleText.${rights}`) : t('members.never')}
        {isLastOwner && (isOwner || isYou) && ` · ${t('members.lastOwner')}`}
        {isFollowed && (isOwner || isYou) && ` · ${t('members.openIdText')}`}
      </Text>
      <BudgetList budgets={member.budgets} />
      <RateLimits limits={member} />
      {isOwner && member.hasSignedIn && <MemberLinks accountId={account.id} member={member} />}
    </div>
  )
}

/** What a member has and does. */
function MemberLinks({ accountId, member }: { accountId: string; member: AccountMember }) {
  const { t } = useTranslation()
  const nameOf = (field: string) => t('error.inField', { field, message: member.email })
  return (
    <Group gap="sm">
      <PageAnchor
        to="/keys"
        search={{ account: accountId, owner: member.userId }}
        size="xs"
        aria-label={nameOf(t('members.keys'))}
      >
        {t('members.keys')}
      </PageAnchor>
      <PageAnchor
        to="/usage"
        search={{ account: accountId, user: member.userId }}
        size="xs"
        aria-label={nameOf(t('members.usage'))}
      >
        {t('members.usage')}
      </PageAnchor>
    </Group>
  )
}
