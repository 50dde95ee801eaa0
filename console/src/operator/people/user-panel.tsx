import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserRow, UserWithLink } from '../../../../src/console-api/contract.ts'
import { isInvitationOver } from '../../account/invitation-state.tsx'
import { call } from '../../api/client.ts'
import { formatDay, formatRecent } from '../../format/times.ts'
import { SidePanel } from '../../parts/dialogs/side-panel.tsx'
import { useScope } from '../../parts/dialogs/unsaved.tsx'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { notifySuccess } from '../../parts/feedback/notify.ts'
import { useFreshSignIn } from '../../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import { CodeBlock } from '../../parts/values/code-block.tsx'
import { userQuery } from '../operator-queries.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { Facts } from '../parts/facts.tsx'
import { useChange } from '../use-change.ts'
import { RemoveMethod } from './remove-method.tsx'
import { SignInMethods } from './sign-in-methods.tsx'
import { UserForm } from './user-form.tsx'

interface UserPanelProps {
  readonly user: string | undefined
  readonly isNew: boolean
  readonly onClose: () => void
}

export function UserPanel({ user, isNew, onClose }: UserPanelProps) {
  const { t } = useTranslation()
  const [made, setMade] = useState<UserWithLink>()
  const known = useQuery({ ...userQuery(user ?? ''), enabled: user !== undefined })
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <SidePanel
      isOpen={isNew || user !== undefined}
      onClose={close}
      title={isNew ? t('people.newUser') : (known.data?.email ?? t('people.user'))}
    >
      {isNew && made && <SignInLink link={{ ...made, isWelcome: true }} email={made.user.email} />}
      {isNew && !made && (
        <UserForm
          user={undefined}
          onSaved={(answer) => ('signInUrl' in answer ? setMade(answer) : close())}
          onClose={close}
        />
      )}
      {!isNew && user !== undefined && (
        <DetailLoader key={user} query={userQuery(user)}>
          {(row) => <Detail user={row} onClose={close} />}
        </DetailLoader>
      )}
    </SidePanel>
  )
}

function Detail({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const { t, i18n } = useTranslation()
  const [link, setLink] = useState<NewLink>()
  const scope = useScope()
  const [runFresh, dialog] = useFreshSignIn()
  const [ask, confirmation] = useConfirm()
  const makeLink = useChange(
    () =>
      runFresh(() => call('POST /operate/users/{id}/sign-in-link', { params: { id: user.id } })),
    {
      onDone: (answer) => answer && setLink({ ...answer, isWelcome: false }),
    },
  )
  const verify = useChange(
    () => runFresh(() => call('POST /operate/users/{id}/vouch', { params: { id: user.id } })),
    {
      onDone: (answer) => {
        if (!answer) return
        notifySuccess(t('people.verified'))
        // Without a link, the user was merged into another one and no longer exists.
        const { signInUrl, isMailed } = answer
        if (signInUrl !== null) return setLink({ signInUrl, isMailed, isWelcome: true })
        scope.drop()
        onClose()
      },
    },
  )
  const askVerify = () =>
    ask({
      title: t('people.verifyTitle', { email: user.email }),
      text: t('people.verifyText'),
      action: t('people.verify'),
      color: 'petrol',
      onYes: () => verify.mutate(),
    })
  return (
    <Stack>
      <Facts
        facts={[
          [t('people.created'), formatDay(user.createdAt, i18n.language)],
          [
            t('people.seen'),
            user.seenAt === null ? t('people.never') : formatRecent(user.seenAt, i18n.language),
          ],
          [
            t('people.proof'),
            user.proof === null
              ? t(isInvitationOver(user) ? 'people.expiredIn' : 'people.unprovenIn', {
                  account: user.invitedTo ?? '—',
                })
              : t(`people.proof.${user.proof}`),
          ],
          [t('people.source'), t(`people.source.${user.source}`)],
          [
            t('people.signIn'),
            user.isOpenIdOnly ? t('people.signInOpenId') : <SignInMethods key="ways" user={user} />,
          ],
        ]}
      />
      <Group gap="xs">
        {user.proof === null ? (
          <Button
            size="xs"
            loading={verify.isPending}
            disabled={isInvitationOver(user)}
            onClick={askVerify}
          >
            {t('people.verify')}
          </Button>
        ) : (
          <Button
            variant="light"
            size="xs"
            loading={makeLink.isPending}
            onClick={() => makeLink.mutate()}
          >
            {t('people.makeLink')}
          </Button>
        )}
        {user.hasTotp && <RemoveMethod user={user} method="app" />}
        {user.passkeys > 0 && <RemoveMethod user={user} method="passkeys" />}
        {user.hasOpenId && <RemoveMethod user={user} method="openId" />}
      </Group>
      {link !== undefined && <SignInLink link={link} email={user.email} />}
      <UserForm user={user} onSaved={onClose} onClose={onClose} />
      {dialog}
      {confirmation}
    </Stack>
  )
}

interface NewLink extends Pick<UserWithLink, 'signInUrl' | 'isMailed'> {
  /** The first link of a user, which works longer. */
  readonly isWelcome: boolean
}

function SignInLink({ link, email }: { link: NewLink; email: string }) {
  const { t } = useTranslation()
  return (
    <Alert color="teal" title={t('people.linkTitle', { email })}>
      <Stack gap="xs">
        <Text size="sm">{link.isWelcome ? t('people.welcomeLinkText') : t('people.linkText')}</Text>
        {link.isMailed && <Text size="sm">{t('members.mailed')}</Text>}
        <CodeBlock text={link.signInUrl} />
      </Stack>
    </Alert>
  )
}
