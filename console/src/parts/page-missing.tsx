import { Center, Stack, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from './button-link.tsx'

/** An address that leads nowhere. It stands outside the shell, so it shows the way back itself. */
export function PageMissing() {
  const { t } = useTranslation()
  return (
    <Center mih="60dvh" p="md">
      <Stack align="center" gap="lg">
        <Title order={1} fz="h3" ta="center">
          {t('error.not_found')}
        </Title>
        <ButtonLink to="/">{t('nav.overview')}</ButtonLink>
      </Stack>
    </Center>
  )
}
