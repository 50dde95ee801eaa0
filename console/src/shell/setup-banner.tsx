import { Alert, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { sessionQuery } from '../api/queries.ts'
import { IconSparkles } from '../icons/icons.ts'
import { ButtonLink } from '../parts/page/button-link.tsx'

/** Links to the setup on every page until the setup is finished. */
export function SetupBanner() {
  const { t } = useTranslation()
  const session = useQuery(sessionQuery).data
  const { pathname } = useLocation()
  if (!session?.isSetupOpen || pathname.endsWith('/setup')) return null
  return (
    <Alert icon={<IconSparkles />} mb="lg" py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{session.isDemoFilled ? t('setup.bannerDemo') : t('setup.banner')}</Text>
        <ButtonLink to="/setup" size="xs">
          {t('setup.bannerOpen')}
        </ButtonLink>
      </Group>
    </Alert>
  )
}
