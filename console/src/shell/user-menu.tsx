import { ActionIcon, Menu, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { IconLogout, IconSettings, IconUserCircle } from '../icons/icons.ts'
import { useScope } from '../parts/dialogs/unsaved.tsx'
import { notifyFailure } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { forgetPage } from '../parts/fresh-sign-in/return-page.ts'
import { useAccount } from './use-account.ts'

export function UserMenu() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const scope = useScope()
  const account = useAccount()
  const user = useQuery(sessionQuery).data?.user
  const signOut = useMutation({
    mutationFn: () => call('POST /sign-out', {}),
    onSuccess: async () => {
      queries.clear()
      await navigate({ to: '/sign-in', ignoreBlocker: true })
      // A request that was under way may have noticed the end of the session.
      forgetPage()
    },
    onError: (error) => notifyFailure(errorText(error)),
  })
  const search = account === undefined ? {} : { account }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('user.label')}>
          <IconUserCircle size={22} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={500} c="var(--mantine-color-text)">
            {user?.email}
          </Text>
          {user?.role === 'admin' && t('user.admin')}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconSettings size={16} stroke={1.6} />}
          onClick={() => void navigate({ to: '/account', search })}
        >
          {t('nav.account')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} stroke={1.6} />}
          onClick={() => scope.leave(() => signOut.mutate())}
        >
          {t('user.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
