// Written by generate-types.mjs from OpenAPI 8d4224a600a0c75e534e04793ea61bcdf563824cafa64be64879edab7258d0bc.

export interface paths {
  '/abandonment-recovery/sandbox-emr/config': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              enabled: boolean;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            enabled: boolean;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              enabled: boolean;
              /** @constant */
              saved: true;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/appointments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          cursor?: string;
          from?: string;
          limit?: number;
          patientId?: string;
          providerName?: string;
          status?: 'booked' | 'cancelled' | 'fulfilled';
          until?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['AppointmentRecord'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: {
          'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            patientId: string;
            providerName: string;
            /** Format: date-time */
            startsAt: string;
            visitType?: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['AppointmentRecord'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Session'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/sign-in/email': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            email: string;
            password: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              token: string;
              user: components['schemas']['Account'];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/sign-out': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @constant */
              success: true;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/calls': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          cursor?: string;
          limit?: number;
          live?: 'true' | 'false';
          patientId?: string;
          recoveryCaseId?: string;
          state?: 'QUEUED' | 'RINGING' | 'IN_PROGRESS' | 'ENDED';
          workflowId?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['Call'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/calls/{callId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          callId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['CallDetail'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cases': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          cursor?: string;
          limit?: number;
          open?: 'true' | 'false';
          patientId?: string;
          recoveryStatus?:
            | 'PENDING'
            | 'CALLING'
            | 'RECOVERED'
            | 'FOLLOW_UP_REQUIRED'
            | 'PRICING_ESCALATION'
            | 'CLINICAL_ESCALATION'
            | 'PATIENT_NOT_INTERESTED'
            | 'PATIENT_NOT_REACHED'
            | 'ALREADY_COMPLETED';
          search?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['RecoveryCase'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cases/{recoveryCaseId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          recoveryCaseId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['RecoveryCaseDetail'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          cursor?: string;
          event?: string;
          limit?: number;
          state?: 'PENDING' | 'DELIVERED' | 'DEAD';
          subject?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['Delivery'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliveries/{deliveryId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          deliveryId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Delivery'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliveries/{deliveryId}/resend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: {
          'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        };
        path: {
          deliveryId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Delivery'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['ApiKey'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            name: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['NewApiKey'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/api-keys/{apiKeyId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          apiKeyId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
        400: components['responses']['400'];
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/approved-api': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['ApprovedApiSettings'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            actions: {
              [key: string]: {
                /** @enum {string} */
                method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
                path: string;
              };
            };
            auth:
              | {
                  /** @constant */
                  method: 'none';
                }
              | {
                  /** @constant */
                  method: 'bearer';
                  token?: string;
                }
              | {
                  /** @constant */
                  method: 'basic';
                  password?: string;
                  username: string;
                }
              | {
                  header: string;
                  /** @constant */
                  method: 'api-key-header';
                  value?: string;
                }
              | {
                  clientId: string;
                  clientSecret?: string;
                  /** @constant */
                  method: 'oauth2-client-credentials';
                  scope?: string;
                  /** Format: uri */
                  tokenUrl: string;
                };
            /** Format: uri */
            baseUrl: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['ApprovedApiSettings'];
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
        400: components['responses']['400'];
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/approved-api/try': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            /** @enum {string} */
            action:
              | 'form.progress'
              | 'patient.upsert'
              | 'insurance.verify'
              | 'appointment.book'
              | 'appointment.cancel'
              | 'document.write';
            body?: {
              [key: string]: unknown;
            };
            /** @default {} */
            params?: {
              [key: string]: string;
            };
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['TriedAction'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/crm': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['CrmSettings'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json':
            | {
                /** @constant */
                kind: 'none';
              }
            | {
                accessToken?: string;
                enabled: boolean;
                /** @constant */
                kind: 'hubspot';
              }
            | {
                enabled: boolean;
                /** @constant */
                kind: 'webhook';
                token?: string | null;
                /** Format: uri */
                url: string;
              };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['CrmSettings'];
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/inbound': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['InboundUrl'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/inbound/{event}/previous-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          event: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
        400: components['responses']['400'];
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/inbound/{event}/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          event: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              secret: string;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/opt-outs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          cursor?: string;
          limit?: number;
          phone?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['OptOut'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: {
          'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            phone: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['OptOut'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/opt-outs/{optOutId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          optOutId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
        400: components['responses']['400'];
      };
    };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/outbound': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['OutboundSettings'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            /** @default true */
            enabled?: boolean;
            /**
             * @default [
             *       "recovery_case.created",
             *       "recovery_case.outcome"
             *     ]
             */
            events?: ('recovery_case.created' | 'recovery_case.outcome' | 'workflow.completed')[];
            url: string | null;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['OutboundSettings'];
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/outbound/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              secret: string;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/outbound/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: {
          'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        };
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Delivery'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/phone-numbers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['PhoneNumber'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            items: {
              /** @default null */
              assistantId?: string | null;
              number: string;
              /** @default null */
              platformId?: string | null;
            }[];
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['PhoneNumber'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['ProviderSettings'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            items: {
              displayName: string;
              name: string;
              visitTypes: string[];
              workingHours: components['schemas']['WeeklyHours'];
            }[];
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['ProviderSettings'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/integrations/recovery-policy': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['CallingPolicy'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': components['schemas']['CallingPolicy'];
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['CallingPolicy'];
          };
        };
        400: components['responses']['400'];
      };
    };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Overview'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/patients': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          cursor?: string;
          limit?: number;
          search?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['ListedPatient'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: {
          'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            address?: string | null;
            dateOfBirth?: string | null;
            email?: string | null;
            firstName: string;
            lastName: string;
            phone: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['PatientRecord'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/patients/{patientId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          patientId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['PatientRecord'];
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          patientId: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            address?: string | null;
            dateOfBirth?: string | null;
            email?: string | null;
            firstName?: string;
            lastName?: string;
            phone?: string;
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['PatientRecord'];
          };
        };
        400: components['responses']['400'];
      };
    };
    trace?: never;
  };
  '/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['Provider'][];
              timezone: string;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/providers/{name}/calendar': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query: {
          from: string;
          until: string;
        };
        header?: never;
        path: {
          name: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              appointments: components['schemas']['CalendarEntry'][];
              slots: components['schemas']['OpenSlot'][];
              timezone: string;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/staff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['StaffAccount'][];
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tasks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: {
      parameters: {
        query?: {
          assigneeId?: string;
          cursor?: string;
          limit?: number;
          patientId?: string;
          reason?: string;
          recoveryCaseId?: string;
          state?: 'OPEN' | 'RESOLVED';
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              items: components['schemas']['Task'][];
              nextCursor: string | null;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tasks/{taskId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          taskId: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            assigneeId?: string | null;
            /** @enum {string} */
            state?: 'OPEN' | 'RESOLVED';
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Task'];
          };
        };
        400: components['responses']['400'];
      };
    };
    trace?: never;
  };
  '/try-it/recovery': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          'application/json': {
            /** @enum {string} */
            scene:
              | 'agrees'
              | 'wants-callback'
              | 'finds-it-expensive'
              | 'asks-clinical-question'
              | 'declines'
              | 'never-answers'
              | 'answers-second-time'
              | 'hangs-up'
              | 'platform-refuses';
          };
        };
      };
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              recoveryCaseId: string;
              workflowId: string;
            };
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/workflows/{workflowId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          workflowId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': components['schemas']['Workflow'];
          };
        };
        400: components['responses']['400'];
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Account: {
      clinicId: string | null;
      email: string;
      id: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'staff';
    };
    ApiKey: {
      /** Format: date-time */
      createdAt: string;
      id: string;
      lastUsedAt: string | null;
      name: string;
      prefix: string;
    };
    AppointmentRecord: {
      /** Format: date-time */
      endsAt: string;
      id: string;
      patientId: string;
      providerDisplayName: string;
      providerName: string;
      /** Format: date-time */
      startsAt: string;
      /** @enum {string} */
      status: 'booked' | 'cancelled' | 'fulfilled';
      visitType: string;
    };
    ApprovedApiSettings: {
      actions: {
        [key: string]: {
          /** @enum {string} */
          method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
          path: string;
        };
      };
      auth: {
        clientId?: string;
        header?: string;
        /** @enum {string} */
        method: 'none' | 'bearer' | 'basic' | 'api-key-header' | 'oauth2-client-credentials';
        scope?: string;
        tokenUrl?: string;
        username?: string;
      };
      baseUrl: string | null;
    };
    CalendarEntry: {
      /** Format: date-time */
      endsAt: string;
      id: string;
      patientId: string;
      patientName: string;
      providerDisplayName: string;
      providerName: string;
      /** Format: date-time */
      startsAt: string;
      /** @enum {string} */
      status: 'booked' | 'cancelled' | 'fulfilled';
      visitType: string;
    };
    Call: {
      attempt: number;
      /** Format: date-time */
      createdAt: string;
      /** @enum {string} */
      direction: 'inbound' | 'outbound';
      endedAt: string | null;
      endedReason: string | null;
      id: string;
      isTest: boolean;
      patient: components['schemas']['PatientName'];
      phone: string | null;
      platformCallId: string | null;
      recoveryCaseId: string | null;
      startedAt: string | null;
      /** @enum {string} */
      state: 'QUEUED' | 'RINGING' | 'IN_PROGRESS' | 'ENDED';
      summary: string | null;
      workflowId: string | null;
      workflowType: string | null;
    };
    CallDetail: {
      attempt: number;
      /** Format: date-time */
      createdAt: string;
      /** @enum {string} */
      direction: 'inbound' | 'outbound';
      endedAt: string | null;
      endedReason: string | null;
      id: string;
      isTest: boolean;
      patient: components['schemas']['PatientName'];
      phone: string | null;
      platformCallId: string | null;
      recoveryCaseId: string | null;
      startedAt: string | null;
      /** @enum {string} */
      state: 'QUEUED' | 'RINGING' | 'IN_PROGRESS' | 'ENDED';
      summary: string | null;
      tools: components['schemas']['ToolCall'][];
      workflowId: string | null;
      workflowType: string | null;
    };
    CrmSettings: {
      enabled: boolean;
      hasToken: boolean;
      /** @enum {string} */
      kind: 'none' | 'hubspot' | 'webhook';
      url: string | null;
    };
    Delivery: {
      attempts: {
        /** Format: date-time */
        at: string;
        durationMs: number;
        error: string | null;
        response: string | null;
        status: number | null;
        url: string;
      }[];
      /** Format: date-time */
      createdAt: string;
      data: {
        [key: string]: unknown;
      };
      deliveredAt: string | null;
      event: string;
      id: string;
      nextAttemptAt: string | null;
      /** @enum {string} */
      state: 'PENDING' | 'DELIVERED' | 'DEAD';
      subject: string;
    };
    Error: {
      details?: {
        message: string;
        path: string;
      }[];
      error: string;
      message: string;
      statusCode: number;
    };
    InboundUrl: {
      event: string;
      name: string;
      previousSecret: {
        /** Format: date-time */
        createdAt: string;
        /** Format: date-time */
        expiresAt: string;
        lastUsedAt: string | null;
      } | null;
      secret: {
        /** Format: date-time */
        createdAt: string;
        lastUsedAt: string | null;
      } | null;
      url: string;
    };
    ListedPatient: {
      /** Format: date-time */
      createdAt: string;
      dateOfBirth: string | null;
      email: string | null;
      firstName: string;
      id: string;
      lastName: string;
      nextAppointment: {
        id: string;
        providerDisplayName: string;
        /** Format: date-time */
        startsAt: string;
      } | null;
      /** @enum {string} */
      patientType: 'NEW' | 'EXISTING';
      phone: string | null;
    };
    NewApiKey: {
      id: string;
      key: string;
      name: string;
      prefix: string;
    };
    OpenSlot: {
      /** Format: date-time */
      endsAt: string;
      providerName: string;
      slotId: string;
      /** Format: date-time */
      startsAt: string;
    };
    OptOut: {
      /** Format: date-time */
      createdAt: string;
      id: string;
      phone: string;
    };
    OutboundSettings: {
      disabledReason: string | null;
      enabled: boolean;
      events: ('recovery_case.created' | 'recovery_case.outcome' | 'workflow.completed')[];
      previousSecretExpiresAt: string | null;
      secretCreatedAt: string | null;
      url: string | null;
    };
    Overview: {
      appointments: {
        booked: number;
        onTheDay: number;
      };
      calls: {
        placed: number;
        running: number;
      };
      cases: {
        byStatus: {
          [key: string]: number;
        };
        ended: number;
        opened: number;
      };
      /** Format: date */
      date: string;
      deliveries: {
        dead: number;
        delivered: number;
        retrying: number;
      };
      tasks: {
        open: number;
        unassigned: number;
      };
      timezone: string;
    };
    PatientDocument: {
      callId: string | null;
      /** Format: date-time */
      createdAt: string;
      escalateToClinicalTeam: boolean;
      id: string;
      note: string;
      requestExternalRecords: boolean;
    };
    PatientName: {
      firstName: string;
      id: string;
      lastName: string;
    };
    PatientRecord: {
      address: string | null;
      appointments: components['schemas']['AppointmentRecord'][];
      billingNotes: unknown;
      /** Format: date-time */
      createdAt: string;
      crmSyncedAt: string | null;
      dateOfBirth: string | null;
      documents: components['schemas']['PatientDocument'][];
      email: string | null;
      firstName: string;
      id: string;
      identifier: string | null;
      insurance: {
        [key: string]: unknown;
      } | null;
      lastName: string;
      /** @enum {string} */
      patientType: 'NEW' | 'EXISTING';
      phone: string | null;
      reasonForVisit: string | null;
      registration: {
        commsConsent: boolean | null;
        healthPlanName: string | null;
        medicareStatus: string | null;
        missingFields: (
          | 'firstName'
          | 'lastName'
          | 'phone'
          | 'email'
          | 'preferredLocation'
          | 'medicareStatus'
          | 'healthPlanName'
          | 'referralSource'
          | 'commsConsent'
        )[];
        preferredLocation: string | null;
        referralSource: string | null;
        /** @enum {string} */
        status: 'ACTION_REQUIRED' | 'COMPLETE';
      };
      selfPay: {
        [key: string]: unknown;
      } | null;
      /** Format: date-time */
      updatedAt: string;
    };
    PhoneNumber: {
      assistantId: string | null;
      number: string;
      platformId: string | null;
    };
    Provider: {
      displayName: string;
      name: string;
      visitTypes: string[];
      workingHours: components['schemas']['WeeklyHours'];
    };
    ProviderSettings: {
      displayName: string;
      name: string;
      visitTypes: string[];
      workingHours: components['schemas']['WeeklyHours'];
    };
    RecoveryCase: {
      attempts: number;
      completionPercentage: number | null;
      /** Format: date-time */
      createdAt: string;
      endedAt: string | null;
      formName: string | null;
      patient: components['schemas']['PatientName'];
      recoveryCaseId: string;
      /** @enum {string} */
      recoveryStatus:
        | 'PENDING'
        | 'CALLING'
        | 'RECOVERED'
        | 'FOLLOW_UP_REQUIRED'
        | 'PRICING_ESCALATION'
        | 'CLINICAL_ESCALATION'
        | 'PATIENT_NOT_INTERESTED'
        | 'PATIENT_NOT_REACHED'
        | 'ALREADY_COMPLETED';
      sessionId: string;
      workflowId: string;
    };
    RecoveryCaseDetail: {
      attempts: number;
      barrier: {
        [key: string]: unknown;
      } | null;
      completionPercentage: number | null;
      /** Format: date-time */
      createdAt: string;
      endedAt: string | null;
      form: {
        abandonedAt: string | null;
        abandonedAtCheckout: boolean | null;
        completedAt: string | null;
        completionPercentage: number | null;
        formId: string | null;
        formName: string | null;
        lastPageReached: number | null;
        resumeUrl: string | null;
        selectedProducts: {
          productName: string;
          unitPrice: number;
        }[];
        totalPages: number | null;
      };
      formName: string | null;
      nextCall: {
        /** Format: date-time */
        at: string;
        /** @enum {string} */
        reason: 'first_call_delay' | 'between_attempts' | 'patient_limits' | 'calling_hours';
      } | null;
      patient: {
        firstName: string;
        id: string;
        lastName: string;
        phone: string | null;
      };
      recoveryCaseId: string;
      /** @enum {string} */
      recoveryStatus:
        | 'PENDING'
        | 'CALLING'
        | 'RECOVERED'
        | 'FOLLOW_UP_REQUIRED'
        | 'PRICING_ESCALATION'
        | 'CLINICAL_ESCALATION'
        | 'PATIENT_NOT_INTERESTED'
        | 'PATIENT_NOT_REACHED'
        | 'ALREADY_COMPLETED';
      resolution: {
        [key: string]: unknown;
      } | null;
      sessionId: string;
      temporalUrl: string;
      timeline: components['schemas']['TimelineEntry'][];
      workflowId: string;
      workflowStatus: string;
    };
    CallingPolicy: {
      callingHours: components['schemas']['WeeklyHours'];
      callsPerPatientPerDay: number | null;
      callsPerPatientPerWeek: number | null;
      firstCallDelaySeconds: number;
      maxAttempts: number;
      maxConcurrentCalls: number;
      secondsBetweenAttempts: number;
    };
    Session: {
      accountId: string;
      baseUrl: string;
      clinic: {
        id: string;
        name: string;
        timezone: string;
        voiceProvider: string;
      } | null;
      clinicId: string | null;
      email: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'staff';
      temporalWorkflowsUrl: string;
    };
    StaffAccount: {
      email: string;
      id: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'staff';
    };
    Task: {
      assignee: {
        id: string;
        name: string;
      } | null;
      callId: string | null;
      /** Format: date-time */
      createdAt: string;
      detail: {
        [key: string]: unknown;
      };
      id: string;
      patient: components['schemas']['PatientName'] | null;
      reason: string;
      recoveryCaseId: string | null;
      resolvedAt: string | null;
      /** @enum {string} */
      state: 'OPEN' | 'RESOLVED';
      workflowId: string | null;
    };
    TimelineEntry:
      | {
          /** Format: date-time */
          at: string;
          event: string;
          /** @constant */
          kind: 'event';
        }
      | {
          /** Format: date-time */
          at: string;
          /** @constant */
          kind: 'created';
        }
      | {
          /** Format: date-time */
          at: string;
          call: components['schemas']['CallDetail'];
          /** @constant */
          kind: 'call';
        }
      | {
          /** Format: date-time */
          at: string;
          barrier: {
            [key: string]: unknown;
          };
          /** @constant */
          kind: 'barrier';
        }
      | {
          /** Format: date-time */
          at: string;
          /** @constant */
          kind: 'outcome';
          recoveryStatus: string;
          resolution: {
            [key: string]: unknown;
          } | null;
        }
      | {
          /** Format: date-time */
          at: string;
          /** @constant */
          kind: 'task';
          task: components['schemas']['Task'];
        }
      | {
          /** Format: date-time */
          at: string;
          delivery: components['schemas']['Delivery'];
          /** @constant */
          kind: 'delivery';
        };
    ToolCall: {
      arguments: unknown;
      completedAt: string | null;
      family: string;
      result: unknown;
      /** Format: date-time */
      startedAt: string;
      success: boolean | null;
      tool: string;
      toolCallId: string;
    };
    TriedAction: {
      body: unknown;
      error: string | null;
      /** @enum {string} */
      result: 'answered' | 'refused' | 'unavailable' | 'unusable';
      status: number | null;
    };
    WeeklyHours: {
      friday?: {
        closes: string;
        opens: string;
      }[];
      monday?: {
        closes: string;
        opens: string;
      }[];
      saturday?: {
        closes: string;
        opens: string;
      }[];
      sunday?: {
        closes: string;
        opens: string;
      }[];
      thursday?: {
        closes: string;
        opens: string;
      }[];
      tuesday?: {
        closes: string;
        opens: string;
      }[];
      wednesday?: {
        closes: string;
        opens: string;
      }[];
    };
    Workflow: {
      attempts: number;
      completedAt: string | null;
      outcome: string | null;
      recoveryCaseId: string | null;
      /** Format: date-time */
      startedAt: string;
      /** @enum {string} */
      status: 'started' | 'completed' | 'failed' | 'cancelled';
      workflowId: string;
      /** @enum {string} */
      workflowType:
        | 'abandonment-recovery'
        | 'new-patient-journey'
        | 'cancellation-follow-up'
        | 'reschedule-follow-up'
        | 'care-gap-follow-up'
        | 'appointment-confirmation'
        | 'appointment-reminder'
        | 'payment-recovery'
        | 'prescription-follow-up';
    };
  };
  responses: {
    400: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
  };
  parameters: {
    'Idempotency-Key': string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
