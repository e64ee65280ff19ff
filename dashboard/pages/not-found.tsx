import { Button } from '@mantine/core';
import { IconMapQuestion } from '../icons';
import { Link } from 'react-router';
import { Page } from '../parts/page';
import { Empty } from '../parts/states';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is nothing at this address" icon={IconMapQuestion}>
        <Button component={Link} to="/" mt="sm" variant="default">
          To the overview
        </Button>
      </Empty>
    </Page>
  );
}
