import { ScrollArea, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { sessionQuery } from '../api/queries.ts'
import {
  IconBuilding,
  IconChartHistogram,
  IconKey,
  IconLayoutDashboard,
  IconMessageCircle,
  IconReceipt2,
  IconStack2,
} from '../icons/icons.ts'
import { operatorPages } from './operator-pages.ts'
import { PageLink } from './page-link.tsx'
import { useAccount } from './use-account.ts'

const pages = [
  { to: '/', label: 'nav.overview', Icon: IconLayoutDashboard },
  { to: '/keys', label: 'nav.keys', Icon: IconKey },
  { to: '/usage', label: 'nav.usage', Icon: IconChartHistogram },
  { to: '/models', label: 'nav.models', Icon: IconStack2 },
  { to: '/playground', label: 'nav.playground', Icon: IconMessageCircle },
  { to: '/billing', label: 'nav.billing', Icon: IconReceipt2 },
  { to: '/account', label: 'nav.account', Icon: IconBuilding },
] as const

/** The pages that the account page links to. */
const pagesOfAccount = ['/alerts', '/tokens']

/** Pages for all users, then those that only administrators see. */
export function Navigation({ onChoose }: { onChoose: () => void }) {
  const { t } = useTranslation()
  const account = useAccount()
  const isOperator = useQuery(sessionQuery).data?.user?.role === 'admin'
  const path = useLocation({ select: ({ pathname }) => pathname })
  const search = account === undefined ? {} : { account }
  const link = { activeOptions: { exact: true, includeSearch: false }, onClick: onChoose }
  return (
    <ScrollArea type="auto" style={{ flex: 1 }}>
      {pages.map(({ to, label, Icon }) => (
        <PageLink
          key={to}
          to={to}
          search={search}
          label={t(label)}
          leftSection={<Icon size={18} stroke={1.6} />}
          isWithin={to === '/account' && pagesOfAccount.includes(path)}
          {...link}
        />
      ))}
      {isOperator && operatorPages.length > 0 && (
        <>
          <Text size="xs" c="dimmed" fw={600} px="sm" mt="lg" mb={4}>
            {t('nav.operate')}
          </Text>
          {operatorPages.map(({ to, label, Icon }) => (
            <PageLink
              key={to}
              to={to}
              search={{}}
              label={t(label)}
              leftSection={<Icon size={18} stroke={1.6} />}
              {...link}
            />
          ))}
        </>
      )}
    </ScrollArea>
  )
}
