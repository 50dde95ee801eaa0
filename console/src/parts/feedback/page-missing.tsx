import { Center, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../page/button-link.tsx'

/** Shown for an unknown path. There is no navigation here, so the page has a link of its own. */
export function PageMissing() {
  const { t } = useTranslation()
  return (
    <Center mih="60dvh" p="md">
      <Stack align="center" gap="lg">
        <Stack align="center" gap={4}>
          <Title order={1} fz="h3" ta="center">
            {t('missing.title')}
          </Title>
          <Text c="dimmed" ta="center">
            {t('missing.text')}
          </Text>
        </Stack>
        <ButtonLink to="/">{t('nav.overview')}</ButtonLink>
      </Stack>
    </Center>
  )
}
