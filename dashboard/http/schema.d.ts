// Written by generate-types.mjs from the service’s OpenAPI document. Do not edit.

export interface paths {
  '/abandonment-recovery-tools/{toolName}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call a tool of the family abandonment-recovery-tools in the middle of a phone call
     * @description ### record_abandonment_barrier
     *
     *     Record why the patient stopped, once the reason is understood.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "primaryBarrier": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000,
     *           "description": "Why the patient stopped, in a few words"
     *         },
     *         "secondaryBarrier": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "specificQuestion": {
     *           "description": "The caller's question, verbatim",
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "knowledgeTopic": {
     *           "type": "string",
     *           "maxLength": 4000
     *         }
     *       },
     *       "required": [
     *         "primaryBarrier"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### resolve_recovery_outcome
     *
     *     Record how the call ended, once, near its end. Stops any further call to the patient.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "recoveryAction": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "offerPresented": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "escalationType": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "resumeLinkSent": {
     *           "type": "boolean"
     *         },
     *         "recoveryStatus": {
     *           "type": "string",
     *           "enum": [
     *             "RECOVERED",
     *             "FOLLOW_UP_REQUIRED",
     *             "PRICING_ESCALATION",
     *             "CLINICAL_ESCALATION",
     *             "PATIENT_NOT_INTERESTED",
     *             "PATIENT_NOT_REACHED",
     *             "ALREADY_COMPLETED"
     *           ]
     *         }
     *       },
     *       "required": [
     *         "resumeLinkSent",
     *         "recoveryStatus"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### check_recovery_session_status
     *
     *     See how far the patient has come with the form or checkout by now.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {}
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "completionPercentage": {
     *           "type": "number"
     *         },
     *         "formCompleted": {
     *           "type": "boolean"
     *         },
     *         "checkoutCompleted": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success",
     *         "completionPercentage",
     *         "formCompleted",
     *         "checkoutCompleted"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### send_resume_link
     *
     *     Send the patient the link to finish, by text message or e-mail.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "method": {
     *           "type": "string",
     *           "enum": [
     *             "sms",
     *             "email"
     *           ]
     *         }
     *       },
     *       "required": [
     *         "method"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "method": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success",
     *         "method"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     */
    post: operations['postAbandonmentRecoveryToolsByToolName'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/abandonment-recovery/sandbox-emr/config': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether the sandbox EMR is on; false for an account without a clinic */
    get: operations['getAbandonmentRecoverySandboxEmrConfig'];
    /** Turn the sandbox EMR on or off; the first time on seeds the clinic's fixture patients */
    put: operations['putAbandonmentRecoverySandboxEmrConfig'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Appointment': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A patient's next upcoming appointment */
    get: operations['getAppointment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Appointment/{id}/$cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancel an appointment */
    post: operations['postAppointmentByIdCancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Appointment/{id}/$reschedule': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Move a booked appointment to another open slot */
    post: operations['postAppointmentByIdReschedule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Appointment/$book': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Book an open slot */
    post: operations['postAppointmentBook'];
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
    /** List appointments, latest start first */
    get: operations['getAppointments'];
    put?: never;
    /** Book an open slot */
    post: operations['postAppointments'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/appointments/{appointmentId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One appointment */
    get: operations['getAppointmentsByAppointmentId'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/appointments/{appointmentId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cancel an appointment */
    post: operations['postAppointmentsByAppointmentIdCancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/appointments/{appointmentId}/reschedule': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Move a booked appointment to another open slot */
    post: operations['postAppointmentsByAppointmentIdReschedule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Who changed what, newest first; never a secret */
    get: operations['getAudit'];
    put?: never;
    post?: never;
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
    /** Who is signed in, and for which clinic */
    get: operations['getAuthSession'];
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
    /** Sign in with e-mail and password; the token is the Bearer token, 12 h sliding */
    post: operations['postAuthSignInEmail'];
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
    /** Revoke the session token */
    post: operations['postAuthSignOut'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/appointment-approaching': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An appointment is coming up: the patient is reminded of it */
    post: operations['postAutomationWebhookByClinicIdAppointmentApproaching'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/appointment-created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** An appointment was booked: the patient is asked to confirm it */
    post: operations['postAutomationWebhookByClinicIdAppointmentCreated'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/forms-abandoned': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A patient left a form or checkout unfinished */
    post: operations['postAutomationWebhookByClinicIdFormsAbandoned'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/forms-completed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A patient completed a form: pending recovery is cancelled */
    post: operations['postAutomationWebhookByClinicIdFormsCompleted'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/patient-follow-up-required': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A patient needs a new appointment: they are called to book it */
    post: operations['postAutomationWebhookByClinicIdPatientFollowUpRequired'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/payment-failed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A payment failed: the patient is called about it */
    post: operations['postAutomationWebhookByClinicIdPaymentFailed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/automation/webhook/{clinicId}/prescription-status-changed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A prescription changed: the patient is told */
    post: operations['postAutomationWebhookByClinicIdPrescriptionStatusChanged'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/availability': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Open slots of one provider or of any, from a day or an instant on */
    get: operations['getAvailability'];
    put?: never;
    post?: never;
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
    /** List calls, newest first */
    get: operations['getCalls'];
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
    /** One call with its tool calls, their results, and its summary */
    get: operations['getCallsByCallId'];
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
    /** List recovery cases, newest first */
    get: operations['getCases'];
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
    /** One case as a timeline: events, calls with their tools, barrier, outcome, tasks, deliveries */
    get: operations['getCasesByRecoveryCaseId'];
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
    /** List deliveries, newest first */
    get: operations['getDeliveries'];
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
    /** One delivery with its attempts */
    get: operations['getDeliveriesByDeliveryId'];
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
    /** Send an event again, now */
    post: operations['postDeliveriesByDeliveryIdResend'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document as a page */
    get: operations['getDocs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs/{asset}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What the page is made of */
    get: operations['getDocsByAsset'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/DocumentReference': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Write back a note; it may ask staff for an escalation or for external records */
    post: operations['postDocumentReference'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/emr-tools/{toolName}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call a tool of the family emr-tools in the middle of a phone call
     * @description ### verify_patient
     *
     *     Check the date of birth that the caller states before anything of their record is said.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "dateOfBirth": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200,
     *           "description": "As YYYY-MM-DD"
     *         }
     *       },
     *       "required": [
     *         "dateOfBirth"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "verified": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "verified"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### check_availability
     *
     *     Find open times. Give aroundDate for another day than today; with a time of day, times from then on are found.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "providerName": {
     *           "description": "Any provider if omitted",
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200
     *         },
     *         "aroundDate": {
     *           "description": "As 2026-11-24 or 2026-11-24T14:30, or a word as tomorrow or Tuesday",
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200
     *         }
     *       }
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "slots": {
     *           "type": "array",
     *           "items": {
     *             "type": "object",
     *             "properties": {
     *               "slotId": {
     *                 "type": "string"
     *               },
     *               "providerName": {
     *                 "type": "string"
     *               },
     *               "startsAt": {
     *                 "type": "string"
     *               },
     *               "startsAtSpoken": {
     *                 "type": "string"
     *               }
     *             },
     *             "required": [
     *               "slotId",
     *               "providerName",
     *               "startsAt",
     *               "startsAtSpoken"
     *             ],
     *             "additionalProperties": false
     *           }
     *         },
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "slots"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### book_appointment
     *
     *     Book one of the open times for the caller.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "providerName": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200
     *         },
     *         "visitType": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200
     *         },
     *         "scheduledAt": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200,
     *           "description": "A date and time; without an offset it is the clinic's local time"
     *         }
     *       },
     *       "required": [
     *         "providerName",
     *         "visitType",
     *         "scheduledAt"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         },
     *         "appointmentId": {
     *           "type": "string"
     *         },
     *         "scheduledAt": {
     *           "type": "string"
     *         },
     *         "scheduledAtSpoken": {
     *           "type": "string"
     *         },
     *         "status": {
     *           "type": "string"
     *         },
     *         "reason": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### get_upcoming_appointment
     *
     *     Look up the caller's next appointment.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {}
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "found": {
     *           "type": "boolean"
     *         },
     *         "appointmentId": {
     *           "type": "string"
     *         },
     *         "providerName": {
     *           "type": "string"
     *         },
     *         "scheduledAt": {
     *           "type": "string"
     *         },
     *         "scheduledAtSpoken": {
     *           "type": "string"
     *         },
     *         "status": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "found"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### reschedule_appointment
     *
     *     Move the caller's next appointment to another open time of the same provider.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "newDateTime": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 200,
     *           "description": "A date and time; without an offset it is the clinic's local time"
     *         }
     *       },
     *       "required": [
     *         "newDateTime"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         },
     *         "appointmentId": {
     *           "type": "string"
     *         },
     *         "scheduledAt": {
     *           "type": "string"
     *         },
     *         "status": {
     *           "type": "string"
     *         },
     *         "reason": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### cancel_appointment
     *
     *     Cancel the caller's next appointment.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {}
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         },
     *         "status": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### document_and_escalate
     *
     *     Write down what the caller said for the clinic, and ask the clinical team to look at it where needed.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "labOrderNote": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "referralNote": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "medicationNote": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "escalationReason": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "escalateToClinicalTeam": {
     *           "type": "boolean"
     *         },
     *         "requestExternalRecords": {
     *           "type": "boolean"
     *         }
     *       }
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     */
    post: operations['postEmrToolsByToolName'];
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
    /** The live API keys, newest first */
    get: operations['getIntegrationsApiKeys'];
    put?: never;
    /** Make an API key, shown once */
    post: operations['postIntegrationsApiKeys'];
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
    /** Revoke an API key, at once */
    delete: operations['deleteIntegrationsApiKeysByApiKeyId'];
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
    /** The clinic's approved API, without its secret */
    get: operations['getIntegrationsApprovedApi'];
    /**
     * Approve an API, or change what it may be used for
     * @description A secret that is left out stays as it is, unless the method or the host changes: a kept secret is never sent to another host. Paths may hold `{parameters}`, as `/forms/{sessionId}`.
     */
    put: operations['putIntegrationsApprovedApi'];
    post?: never;
    /** Call the API no more, and forget its secret */
    delete: operations['deleteIntegrationsApprovedApi'];
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
    /** Call a permitted action now, and see what the API answers */
    post: operations['postIntegrationsApprovedApiTry'];
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
    /** The CRM that patients are synced to, without its token */
    get: operations['getIntegrationsCrm'];
    /**
     * Choose the CRM; `none` takes it away
     * @description A token that is left out stays as it is, unless the kind or the host changes. `token: null` takes the token of a webhook away.
     */
    put: operations['putIntegrationsCrm'];
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
    /** Each event's URL, and when its secret was made and last used */
    get: operations['getIntegrationsInbound'];
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
    /** Stop accepting the secret that was replaced */
    delete: operations['deleteIntegrationsInboundByEventPreviousSecret'];
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
    /** Make a new secret for a URL, shown once; the old one lives on for 24 h */
    post: operations['postIntegrationsInboundByEventRotateSecret'];
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
    /** Phones that are never called, newest first */
    get: operations['getIntegrationsOptOuts'];
    put?: never;
    /** Never call a phone again; one that is on the list stays on it */
    post: operations['postIntegrationsOptOuts'];
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
    /** Allow calls to a phone again */
    delete: operations['deleteIntegrationsOptOutsByOptOutId'];
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
    /** The registered URL and the events it receives */
    get: operations['getIntegrationsOutbound'];
    /** Register the URL that outcome events are sent to */
    put: operations['putIntegrationsOutbound'];
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
    /** Make a new signing secret, shown once; events carry both signatures for 24 h */
    post: operations['postIntegrationsOutboundRotateSecret'];
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
    /** Send a test event now; its delivery shows what became of it */
    post: operations['postIntegrationsOutboundTest'];
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
    /** The clinic's phone numbers */
    get: operations['getIntegrationsPhoneNumbers'];
    /** Make these the clinic's phone numbers */
    put: operations['putIntegrationsPhoneNumbers'];
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
    /** The clinic's providers and their weekly hours */
    get: operations['getIntegrationsProviders'];
    /** Make these the clinic's providers; one that is left out takes no more bookings */
    put: operations['putIntegrationsProviders'];
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
    /** When and how often patients are called; hours are the clinic's wall clock */
    get: operations['getIntegrationsRecoveryPolicy'];
    /** Change when and how often patients are called; cases that are open follow it from their next step */
    put: operations['putIntegrationsRecoveryPolicy'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metadata': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What the sandbox EMR can do, as a CapabilityStatement */
    get: operations['getMetadata'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document */
    get: operations['getOpenapiJson'];
    put?: never;
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
    /** What happened today, in the clinic's timezone */
    get: operations['getOverview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/patient-intake/{toolName}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call a tool of the family patient-intake in the middle of a phone call
     * @description ### validate_intake_field
     *
     *     Check the form of an e-mail address, phone number or date of birth before it is submitted.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "fieldName": {
     *           "type": "string",
     *           "description": "email, phone or dateOfBirth; any other name always passes"
     *         },
     *         "value": {
     *           "type": "string",
     *           "maxLength": 4000
     *         }
     *       },
     *       "required": [
     *         "fieldName",
     *         "value"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "valid": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "valid"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### submit_intake
     *
     *     Submit the whole intake form once every field has been asked for.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "firstName": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "lastName": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "dateOfBirth": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "phone": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "email": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "address": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "reasonForVisit": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         }
     *       },
     *       "required": [
     *         "firstName",
     *         "lastName",
     *         "dateOfBirth",
     *         "phone",
     *         "email",
     *         "address",
     *         "reasonForVisit"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     */
    post: operations['postPatientIntakeByToolName'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/patient-journey/{toolName}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Call a tool of the family patient-journey in the middle of a phone call
     * @description ### resolve_patient_identity
     *
     *     Find out whether the caller is new here, by the name and phone number they state. Merges nothing.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "statedName": {
     *           "description": "First and last name",
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "statedPhone": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "statedDateOfBirth": {
     *           "type": "string",
     *           "maxLength": 4000
     *         }
     *       }
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         },
     *         "patientType": {
     *           "type": "string",
     *           "enum": [
     *             "NEW",
     *             "EXISTING"
     *           ]
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### update_registration_field
     *
     *     Save what the caller has said of themselves so far; any of the fields, as often as needed. Says what is still missing.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "firstName": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "lastName": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "phone": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "email": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "preferredLocation": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "medicareStatus": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "healthPlanName": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "referralSource": {
     *           "description": "How the caller heard of the clinic",
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "commsConsent": {
     *           "description": "Whether the clinic may send messages",
     *           "type": "boolean"
     *         }
     *       }
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         },
     *         "registrationStatus": {
     *           "type": "string",
     *           "enum": [
     *             "ACTION_REQUIRED",
     *             "COMPLETE"
     *           ]
     *         },
     *         "missingFields": {
     *           "type": "array",
     *           "items": {
     *             "type": "string"
     *           }
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### submit_insurance_info
     *
     *     Have the clinic check the insurance that the caller states, and hear the answer and the copay.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "payerName": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000,
     *           "description": "The insurance company"
     *         },
     *         "memberId": {
     *           "type": "string",
     *           "minLength": 1,
     *           "maxLength": 4000
     *         },
     *         "groupId": {
     *           "type": "string",
     *           "maxLength": 4000
     *         },
     *         "subscriberName": {
     *           "description": "Whose policy it is, when it is not the caller's own",
     *           "type": "string",
     *           "maxLength": 4000
     *         }
     *       },
     *       "required": [
     *         "payerName",
     *         "memberId"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         },
     *         "status": {
     *           "type": "string"
     *         },
     *         "copayCents": {
     *           "type": "integer",
     *           "minimum": -9007199254740991,
     *           "maximum": 9007199254740991
     *         },
     *         "errorMessage": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### record_self_pay_decision
     *
     *     Record whether the caller pays themselves or wants to talk to billing.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "decision": {
     *           "type": "string",
     *           "enum": [
     *             "self_pay_continue",
     *             "billing_escalation"
     *           ]
     *         },
     *         "selfPayPriceCents": {
     *           "description": "The price that was named",
     *           "type": "number",
     *           "minimum": 0,
     *           "maximum": 1000000000
     *         }
     *       },
     *       "required": [
     *         "decision"
     *       ]
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     *
     *     ### escalate_billing
     *
     *     Hand a billing question to the clinic's staff, with all that is known of this call. Transfers nothing.
     *
     *     Arguments:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "reason": {
     *           "type": "string",
     *           "maxLength": 4000
     *         }
     *       }
     *     }
     *     ```
     *
     *     Result, as a JSON string:
     *
     *     ```json
     *     {
     *       "type": "object",
     *       "properties": {
     *         "success": {
     *           "type": "boolean"
     *         },
     *         "error": {
     *           "type": "string"
     *         }
     *       },
     *       "required": [
     *         "success"
     *       ],
     *       "additionalProperties": false
     *     }
     *     ```
     */
    post: operations['postPatientJourneyByToolName'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Patient/$match': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Find a patient by identifier; an unknown identifier makes a fixture patient */
    post: operations['postPatientMatch'];
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
    /** List patients, newest first; those who are still registering are left out */
    get: operations['getPatients'];
    put?: never;
    /** Create a patient */
    post: operations['postPatients'];
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
    /** One patient with registration, appointments and notes */
    get: operations['getPatientsByPatientId'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change what is on file; null takes a field away */
    patch: operations['patchPatientsByPatientId'];
    trace?: never;
  };
  '/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The clinic's providers and its zone */
    get: operations['getProviders'];
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
    /** A provider's open slots and appointments between two days or instants */
    get: operations['getProvidersByNameCalendar'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Schedule': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A practitioner's schedule */
    get: operations['getSchedule'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/Slot': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Search a practitioner's open slots */
    get: operations['getSlot'];
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
    /** The accounts of this clinic, to whom tasks can be assigned */
    get: operations['getStaff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What changes, as server-sent events: ids only
     * @description Each message is `event: change` with `data: {"table","id"}`, where the table is one of `recovery_cases`, `workflow_runs`, `calls`, `tool_calls`, `deliveries`, `staff_tasks`, `patients`, `appointments`, `providers`, `clinics`, `api_keys`, `secrets`, `audit_entries`; `{"table":"*","id":"*"}` says that anything may have changed. A comment comes every 15 s. The stream ends when the session does, and every half hour: read it again then.
     */
    get: operations['getStream'];
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
    /** List tasks, newest first */
    get: operations['getTasks'];
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
    /** Assign, resolve or reopen a task */
    patch: operations['patchTasksByTaskId'];
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
    /**
     * Start a recovery whose patient is played by the simulator
     * @description Only for clinics whose calls go to the simulator. The calling policy applies as to any other case.
     */
    post: operations['postTryItRecovery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/voice/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Call progress, and who answers an inbound call, as the voice platform reports and asks */
    post: operations['postVoiceEvents'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/voice/test-calls': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Open an internal test call; its id is what message.call.id then carries */
    post: operations['postVoiceTestCalls'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/voice/tools': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Tool definitions ready to paste into Vapi, of one assistant or of all */
    get: operations['getVoiceTools'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/workflows': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List workflows, newest first */
    get: operations['getWorkflows'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/workflows/{workflowId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Status and outcome of a workflow */
    get: operations['getWorkflowsByWorkflowId'];
    put?: never;
    post?: never;
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
    /** End a workflow: its case becomes FOLLOW_UP_REQUIRED */
    post: operations['postWorkflowsByWorkflowIdCancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/workflows/start': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Start a patient workflow */
    post: operations['postWorkflowsStart'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface webhooks {
  'recovery_case.created': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A recovery case was created; nobody was called yet */
    post: operations['on.recovery_case.created'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'recovery_case.outcome': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A recovery case reached its terminal status */
    post: operations['on.recovery_case.outcome'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  test: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Somebody pressed "send test event" */
    post: operations['on.test'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'workflow.completed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A workflow of another type has ended (opt-in) */
    post: operations['on.workflow.completed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
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
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      createdAt: string;
      id: string;
      lastUsedAt: string | null;
      name: string;
      /** @description The beginning of the key, to recognise it by */
      prefix: string;
    };
    Appointment: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      end: string;
      id: string;
      participant: {
        actor: {
          reference: string;
        };
        /** @constant */
        status: 'accepted';
      }[];
      /** @constant */
      resourceType: 'Appointment';
      serviceType: {
        text: string;
      }[];
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      start: string;
      /** @enum {string} */
      status: 'booked' | 'cancelled' | 'fulfilled';
    };
    AppointmentRecord: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      endsAt: string;
      id: string;
      patientId: string;
      providerDisplayName: string;
      providerName: string;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      startsAt: string;
      /** @enum {string} */
      status: 'booked' | 'cancelled' | 'fulfilled';
      visitType: string;
    };
    ApprovedApiSettings: {
      /** @description What is not here is never called */
      actions: {
        [key: string]: {
          /** @enum {string} */
          method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
          path: string;
        };
      };
      /** @description Without its secret, which is never read back */
      auth: {
        clientId?: string;
        header?: string;
        /** @enum {string} */
        method: 'none' | 'bearer' | 'basic' | 'api-key-header' | 'oauth2-client-credentials';
        scope?: string;
        tokenUrl?: string;
        username?: string;
      };
      /** @description null where no API is approved */
      baseUrl: string | null;
    };
    AuditEntry: {
      /** @description As outbound.change, api-key.revoke */
      action: string;
      /** @description As account:…, api-key:…, call:…, workflow:…, system */
      actor: string;
      /** @description Of an account of this clinic */
      actorName: string | null;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      at: string;
      detail: {
        [key: string]: unknown;
      };
      id: string;
      requestId: string | null;
      subject: string | null;
    };
    AvailableSlot: {
      providerName: string;
      slotId: string;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      startsAt: string;
      startsAtSpoken: string;
    };
    BookRequest: {
      parameter: {
        /** @constant */
        name: 'appointment';
        resource: {
          participant: ({
            actor?: {
              reference?: string;
            } & {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          })[];
          /** @constant */
          resourceType: 'Appointment';
          serviceType?: ({
            text?: string;
          } & {
            [key: string]: unknown;
          })[];
          start: string;
          /** @constant */
          status?: 'proposed';
        } & {
          [key: string]: unknown;
        };
      }[];
      /** @constant */
      resourceType: 'Parameters';
    };
    CalendarEntry: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      endsAt: string;
      id: string;
      patientId: string;
      patientName: string;
      providerDisplayName: string;
      providerName: string;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      startsAt: string;
      /** @enum {string} */
      status: 'booked' | 'cancelled' | 'fulfilled';
      visitType: string;
    };
    Call: {
      /** @description Counts how often the patient was reached out to; 0 for an inbound or test call */
      attempt: number;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
      /** @description Counts how often the patient was reached out to; 0 for an inbound or test call */
      attempt: number;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
    CapabilityStatement: {
      /** @constant */
      fhirVersion: '4.0.1';
      format: string[];
      /** @constant */
      resourceType: 'CapabilityStatement';
      rest: ({
        /** @constant */
        mode: 'server';
      } & {
        [key: string]: unknown;
      })[];
    } & {
      [key: string]: unknown;
    };
    CrmSettings: {
      enabled: boolean;
      /** @description Whether a token is kept; it is never read back */
      hasToken: boolean;
      /** @enum {string} */
      kind: 'none' | 'hubspot' | 'webhook';
      url: string | null;
    };
    Delivery: {
      attempts: {
        /**
         * Format: date-time
         * @description ISO 8601 instant in UTC with milliseconds
         */
        at: string;
        durationMs: number;
        error: string | null;
        response: string | null;
        status: number | null;
        url: string;
      }[];
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
    DocumentReference: {
      content: {
        attachment: {
          contentType: string;
          data: string;
        };
      }[];
      extension?: {
        /** @enum {string} */
        url: 'escalateToClinicalTeam' | 'requestExternalRecords';
        valueBoolean: boolean;
      }[];
      id: string;
      /** @constant */
      resourceType: 'DocumentReference';
      /** @constant */
      status: 'current';
      subject: {
        reference: string;
      };
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
    InboundAccepted: {
      /** @constant */
      accepted: true;
      duplicate: boolean;
      recoveryCaseId?: string;
      workflowId?: string;
    };
    InboundUrl: {
      /** @description As forms-abandoned: the end of the URL */
      event: string;
      /** @description As forms.abandoned: the event in the body */
      name: string;
      /** @description Still accepted until it expires or is retired */
      previousSecret: {
        /**
         * Format: date-time
         * @description ISO 8601 instant in UTC with milliseconds
         */
        createdAt: string;
        /**
         * Format: date-time
         * @description ISO 8601 instant in UTC with milliseconds
         */
        expiresAt: string;
        lastUsedAt: string | null;
      } | null;
      secret: {
        /**
         * Format: date-time
         * @description ISO 8601 instant in UTC with milliseconds
         */
        createdAt: string;
        lastUsedAt: string | null;
      } | null;
      url: string;
    };
    ListedPatient: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      createdAt: string;
      dateOfBirth: string | null;
      email: string | null;
      firstName: string;
      id: string;
      lastName: string;
      nextAppointment: {
        id: string;
        providerDisplayName: string;
        /**
         * Format: date-time
         * @description ISO 8601 instant in UTC with milliseconds
         */
        startsAt: string;
      } | null;
      /** @enum {string} */
      patientType: 'NEW' | 'EXISTING';
      phone: string | null;
    };
    MatchRequest: {
      parameter: {
        /** @constant */
        name: 'identifier';
        valueString: string;
      }[];
      /** @constant */
      resourceType: 'Parameters';
    };
    NewApiKey: {
      id: string;
      /** @description Shown here and never again */
      key: string;
      name: string;
      prefix: string;
    };
    OpenSlot: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      endsAt: string;
      providerName: string;
      slotId: string;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      startsAt: string;
    };
    OperationOutcome: {
      issue: {
        code: string;
        diagnostics: string;
        severity: string;
      }[];
      /** @constant */
      resourceType: 'OperationOutcome';
    };
    OptOut: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      createdAt: string;
      id: string;
      phone: string;
    };
    OutboundSettings: {
      /** @description Why the service switched it off; registering it again clears it */
      disabledReason: string | null;
      enabled: boolean;
      events: ('recovery_case.created' | 'recovery_case.outcome' | 'workflow.completed')[];
      /** @description Until then events carry a signature of the old secret too */
      previousSecretExpiresAt: string | null;
      secretCreatedAt: string | null;
      url: string | null;
    };
    Overview: {
      appointments: {
        /** @description Booked today */
        booked: number;
        /** @description That start today */
        onTheDay: number;
      };
      calls: {
        /** @description Today */
        placed: number;
        /** @description Now */
        running: number;
      };
      cases: {
        /** @description Open cases, and those that were opened or ended today, by their status now */
        byStatus: {
          [key: string]: number;
        };
        /** @description Today */
        ended: number;
        /** @description Today */
        opened: number;
      };
      /**
       * Format: date
       * @description Today in the clinic's timezone
       */
      date: string;
      deliveries: {
        /** @description Given up, until somebody sends them again */
        dead: number;
        /** @description Events of today that were received */
        delivered: number;
        /** @description Failed at least once and tried again */
        retrying: number;
      };
      tasks: {
        open: number;
        unassigned: number;
      };
      timezone: string;
    };
    Patient: {
      /** Format: date */
      birthDate?: string;
      id: string;
      name?: {
        family?: string;
        given?: string[];
      }[];
      /** @constant */
      resourceType: 'Patient';
      telecom?: {
        /** @enum {string} */
        system: 'phone' | 'email';
        value: string;
      }[];
    };
    PatientDocument: {
      callId: string | null;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      updatedAt: string;
    };
    PhoneNumber: {
      /** @description The voice platform's assistant that answers it */
      assistantId: string | null;
      number: string;
      /** @description The voice platform's id of the number */
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
      /** @description A FHIR id, as Dr.Chen */
      name: string;
      visitTypes: string[];
      workingHours: components['schemas']['WeeklyHours'];
    };
    RecoveryCase: {
      attempts: number;
      completionPercentage: number | null;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
      /** @description The workflow's page in the Temporal UI */
      temporalUrl: string;
      timeline: components['schemas']['TimelineEntry'][];
      workflowId: string;
      workflowStatus: string;
    };
    RecoveryPolicy: {
      callingHours: components['schemas']['WeeklyHours'];
      callsPerPatientPerDay: number | null;
      callsPerPatientPerWeek: number | null;
      firstCallDelaySeconds: number;
      maxAttempts: number;
      maxConcurrentCalls: number;
      secondsBetweenAttempts: number;
    };
    Schedule: {
      actor: {
        reference: string;
      }[];
      id: string;
      /** @constant */
      resourceType: 'Schedule';
    };
    Session: {
      accountId: string;
      /** @description Where the service is reached; ends in /api */
      baseUrl: string;
      clinic: {
        id: string;
        name: string;
        /** @description IANA zone */
        timezone: string;
        /** @description simulator or vapi */
        voiceProvider: string;
      } | null;
      clinicId: string | null;
      email: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'staff';
      /** @description Where Temporal's UI shows the workflows of this service */
      temporalWorkflowsUrl: string;
    };
    Slot: {
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      end: string;
      id: string;
      /** @constant */
      resourceType: 'Slot';
      schedule: {
        reference: string;
      };
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      start: string;
      /** @constant */
      status: 'free';
    };
    StaffAccount: {
      email: string;
      id: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'staff';
    };
    StartedWorkflow: {
      patientFirstName: string;
      patientLastName: string;
      /** @enum {string} */
      status: 'started' | 'completed' | 'failed' | 'cancelled';
      workflowId: string;
    };
    Task: {
      assignee: {
        id: string;
        name: string;
      } | null;
      callId: string | null;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      createdAt: string;
      detail: {
        [key: string]: unknown;
      };
      id: string;
      patient: components['schemas']['PatientName'] | null;
      /** @description As billing_escalation, clinical_escalation, unreadable_phone, crm_sync_failed */
      reason: string;
      recoveryCaseId: string | null;
      resolvedAt: string | null;
      /** @enum {string} */
      state: 'OPEN' | 'RESOLVED';
      workflowId: string | null;
    };
    TimelineEntry:
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          event: string;
          /** @constant */
          kind: 'event';
        }
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          /** @constant */
          kind: 'created';
        }
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          call: components['schemas']['CallDetail'];
          /** @constant */
          kind: 'call';
        }
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          barrier: {
            [key: string]: unknown;
          };
          /** @constant */
          kind: 'barrier';
        }
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          /** @constant */
          kind: 'outcome';
          recoveryStatus: string;
          resolution: {
            [key: string]: unknown;
          } | null;
        }
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          /** @constant */
          kind: 'task';
          task: components['schemas']['Task'];
        }
      | {
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          at: string;
          delivery: components['schemas']['Delivery'];
          /** @constant */
          kind: 'delivery';
        };
    ToolCall: {
      arguments: unknown;
      completedAt: string | null;
      family: string;
      /** @description What the agent was told; null while the tool is at work */
      result: unknown;
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
      startedAt: string;
      success: boolean | null;
      tool: string;
      toolCallId: string;
    };
    ToolDefinition: {
      /** @constant */
      async: false;
      function: {
        description: string;
        name: string;
        parameters: {
          /** @constant */
          type: 'object';
        } & {
          [key: string]: unknown;
        };
      };
      server: {
        headers: {
          [key: string]: string;
        };
        timeoutSeconds: number;
        url: string;
      };
      /** @constant */
      type: 'function';
    };
    ToolEnvelope: {
      message: {
        call?: {
          id: string;
        } & {
          [key: string]: unknown;
        };
        toolCalls?: ({
          function: {
            arguments: unknown;
          } & {
            [key: string]: unknown;
          };
          id: string;
        } & {
          [key: string]: unknown;
        })[];
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    ToolReplies: {
      results: {
        result: string;
        toolCallId: string;
      }[];
    };
    TriedAction: {
      /** @description What was answered, as JSON; null where it is none */
      body: unknown;
      error: string | null;
      /**
       * @description refused: a 4xx; unavailable: no answer or a 5xx; unusable: the path cannot be filled in
       * @enum {string}
       */
      result: 'answered' | 'refused' | 'unavailable' | 'unusable';
      status: number | null;
    };
    VoiceEvent: {
      message: {
        call?: {
          id: string;
        } & {
          [key: string]: unknown;
        };
        type: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    VoiceReply: {
      assistantId?: string;
      eligible?: boolean;
      error?: string;
    } & {
      [key: string]: unknown;
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
      /**
       * Format: date-time
       * @description ISO 8601 instant in UTC with milliseconds
       */
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
    /** @description The path, the query, a header or the body is not valid */
    400: {
      headers: {
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The credential is missing, unknown, revoked or expired */
    401: {
      headers: {
        'www-authenticate': components['headers']['www-authenticate'];
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The credential does not allow this */
    403: {
      headers: {
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Nothing of this clinic has this id */
    404: {
      headers: {
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The request body is too large */
    413: {
      headers: {
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description The request body has another media type, charset or encoding */
    415: {
      headers: {
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description This Idempotency-Key was used before with another request */
    422: {
      headers: {
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Too many requests */
    429: {
      headers: {
        'retry-after': components['headers']['retry-after'];
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
    /** @description Something that is needed is down; the same request may be sent again */
    503: {
      headers: {
        'retry-after': components['headers']['retry-after'];
        'x-request-id': components['headers']['x-request-id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'];
      };
    };
  };
  parameters: {
    /** @description The same key and body get the first answer again; the same key with another body is 422 */
    'Idempotency-Key': string;
  };
  requestBodies: never;
  headers: {
    /** @description Seconds to wait */
    'retry-after': number;
    /** @description `Bearer`, where that is what is asked for */
    'www-authenticate': string;
    /** @description Stands in the logs too */
    'x-request-id': string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  postAbandonmentRecoveryToolsByToolName: {
    parameters: {
      query?: never;
      header?: {
        /** @description The platform's id of the call, where the body does not name it */
        'x-call-id'?: string;
      };
      path: {
        toolName: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolEnvelope'];
      };
    };
    responses: {
      /** @description One result per tool call, in the order asked */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolReplies'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      503: components['responses']['503'];
    };
  };
  getAbandonmentRecoverySandboxEmrConfig: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The configuration */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            enabled: boolean;
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putAbandonmentRecoverySandboxEmrConfig: {
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
      /** @description Saved */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getAppointment: {
    parameters: {
      query: {
        _format?: string;
        patient: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A Bundle of one appointment or none */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': {
            entry: {
              fullUrl: string;
              resource: components['schemas']['Appointment'];
            }[];
            link: {
              /** @enum {string} */
              relation: 'self' | 'next';
              url: string;
            }[];
            /** @constant */
            resourceType: 'Bundle';
            total: number;
            /** @constant */
            type: 'searchset';
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAppointmentByIdCancel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The cancelled appointment */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['Appointment'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such appointment of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The reason stands in `diagnostics`: slot_taken, slot_unavailable, appointment_cancelled, appointment_fulfilled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['OperationOutcome'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAppointmentByIdReschedule: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/fhir+json': {
          start: string;
        } & {
          [key: string]: unknown;
        };
        'application/json': {
          start: string;
        } & {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description The appointment at its new time */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['Appointment'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such appointment of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The reason stands in `diagnostics`: slot_taken, slot_unavailable, appointment_cancelled, appointment_fulfilled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['OperationOutcome'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAppointmentBook: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/fhir+json': components['schemas']['BookRequest'];
        'application/json': components['schemas']['BookRequest'];
      };
    };
    responses: {
      /** @description The booked appointment */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['Appointment'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such patient or practitioner of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The reason stands in `diagnostics`: slot_taken, slot_unavailable, appointment_cancelled, appointment_fulfilled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['OperationOutcome'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getAppointments: {
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
      /** @description A page of appointments */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAppointments: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
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
          startsAt: string;
          visitType?: string;
        };
      };
    };
    responses: {
      /** @description The booked appointment */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AppointmentRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such patient or provider of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The reason is the message: slot_taken, slot_unavailable, appointment_cancelled, appointment_fulfilled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getAppointmentsByAppointmentId: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        appointmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The appointment */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AppointmentRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such appointment of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAppointmentsByAppointmentIdCancel: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path: {
        appointmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The cancelled appointment */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AppointmentRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such appointment of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The reason is the message: slot_taken, slot_unavailable, appointment_cancelled, appointment_fulfilled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAppointmentsByAppointmentIdReschedule: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path: {
        appointmentId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          startsAt: string;
        };
      };
    };
    responses: {
      /** @description The appointment at its new time */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AppointmentRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such appointment of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The reason is the message: slot_taken, slot_unavailable, appointment_cancelled, appointment_fulfilled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getAudit: {
    parameters: {
      query?: {
        action?: string;
        actor?: string;
        cursor?: string;
        limit?: number;
        subject?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of entries */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['AuditEntry'][];
            nextCursor: string | null;
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getAuthSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account behind the token */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAuthSignInEmail: {
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
      /** @description Signed in */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      /** @description The e-mail or the password is wrong */
      401: {
        headers: {
          'www-authenticate': components['headers']['www-authenticate'];
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      503: components['responses']['503'];
    };
  };
  postAuthSignOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Signed out */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdAppointmentApproaching: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            appointment: {
              appointment_id: string;
              provider_name: string;
              starts_at: string;
              visit_type: string;
            };
            event_id: string;
            patient: {
              patient_id?: string | null;
              phi_email?: string | null;
              phi_first_name: string;
              phi_last_name: string;
              phi_phone: string;
            };
          };
          /** @constant */
          event: 'appointment.approaching';
          sent_at?: string | null;
          tenant_id: string;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdAppointmentCreated: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            appointment: {
              appointment_id: string;
              provider_name: string;
              starts_at: string;
              visit_type: string;
            };
            event_id: string;
            patient: {
              patient_id?: string | null;
              phi_email?: string | null;
              phi_first_name: string;
              phi_last_name: string;
              phi_phone: string;
            };
          };
          /** @constant */
          event: 'appointment.created';
          sent_at?: string | null;
          tenant_id: string;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdFormsAbandoned: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            abandoned_at: string;
            abandoned_at_checkout?: boolean | null;
            completion_percentage: number;
            draft_age_hours: number;
            form_id: string;
            form_name: string;
            last_activity_at: string;
            last_page_reached: number;
            partial_form_data?: {
              phi_email?: string | null;
              phi_first_name?: string | null;
              phi_last_name?: string | null;
              phi_phone?: string | null;
              selectedProducts?:
                | {
                    productName: string;
                    unitPrice: number;
                  }[]
                | null;
            } | null;
            resume_url?: string | null;
            session_id: string;
            total_pages: number;
          };
          /** @constant */
          event?: 'forms.abandoned';
          sent_at?: string | null;
          tenant_id: string;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdFormsCompleted: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            session_id: string;
          };
          /** @constant */
          event?: 'forms.completed';
          tenant_id?: string | null;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdPatientFollowUpRequired: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            event_id: string;
            follow_up: {
              due_by?: string | null;
              note?: string | null;
              /** @enum {string} */
              reason: 'cancellation' | 'reschedule' | 'care_gap';
            };
            patient: {
              patient_id?: string | null;
              phi_email?: string | null;
              phi_first_name: string;
              phi_last_name: string;
              phi_phone: string;
            };
          };
          /** @constant */
          event: 'patient.follow_up_required';
          sent_at?: string | null;
          tenant_id: string;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdPaymentFailed: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            event_id: string;
            patient: {
              patient_id?: string | null;
              phi_email?: string | null;
              phi_first_name: string;
              phi_last_name: string;
              phi_phone: string;
            };
            payment: {
              amount_cents: number;
              currency: string;
              failure_reason: string;
              payment_id: string;
            };
          };
          /** @constant */
          event: 'payment.failed';
          sent_at?: string | null;
          tenant_id: string;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postAutomationWebhookByClinicIdPrescriptionStatusChanged: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        clinicId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          data: {
            event_id: string;
            patient: {
              patient_id?: string | null;
              phi_email?: string | null;
              phi_first_name: string;
              phi_last_name: string;
              phi_phone: string;
            };
            prescription: {
              medication_name: string;
              prescription_id: string;
              previous_status?: string | null;
              status: string;
            };
          };
          /** @constant */
          event: 'prescription.status_changed';
          sent_at?: string | null;
          tenant_id: string;
        };
      };
    };
    responses: {
      /** @description Stored; a repetition is answered like the first */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InboundAccepted'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getAvailability: {
    parameters: {
      query?: {
        from?: string;
        limit?: number;
        providerName?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Open slots in order of time */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            slots: components['schemas']['AvailableSlot'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such provider of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getCalls: {
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
      /** @description A page of calls */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getCallsByCallId: {
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
      /** @description The call */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CallDetail'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such call */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getCases: {
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
      /** @description A page of cases */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getCasesByRecoveryCaseId: {
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
      /** @description The case */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryCaseDetail'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such case */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getDeliveries: {
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
      /** @description A page of deliveries */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getDeliveriesByDeliveryId: {
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
      /** @description The delivery */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such delivery of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postDeliveriesByDeliveryIdResend: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path: {
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Queued */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such delivery of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description An attempt is under way */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getDocs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      400: components['responses']['400'];
      503: components['responses']['503'];
    };
  };
  getDocsByAsset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        asset: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A script or a style sheet */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'text/*': string;
        };
      };
      400: components['responses']['400'];
      404: components['responses']['404'];
      503: components['responses']['503'];
    };
  };
  postDocumentReference: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/fhir+json': {
          content: ({
            attachment: {
              /** @default text/plain */
              contentType?: string;
              data: string;
            } & {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          })[];
          extension?: ({
            url: string;
            valueBoolean?: unknown;
          } & {
            [key: string]: unknown;
          })[];
          /** @constant */
          resourceType: 'DocumentReference';
          /** @constant */
          status?: 'current';
          subject: {
            reference: string;
          } & {
            [key: string]: unknown;
          };
        } & {
          [key: string]: unknown;
        };
        'application/json': {
          content: ({
            attachment: {
              /** @default text/plain */
              contentType?: string;
              data: string;
            } & {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          })[];
          extension?: ({
            url: string;
            valueBoolean?: unknown;
          } & {
            [key: string]: unknown;
          })[];
          /** @constant */
          resourceType: 'DocumentReference';
          /** @constant */
          status?: 'current';
          subject: {
            reference: string;
          } & {
            [key: string]: unknown;
          };
        } & {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description The document */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['DocumentReference'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such patient of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postEmrToolsByToolName: {
    parameters: {
      query?: never;
      header?: {
        /** @description The platform's id of the call, where the body does not name it */
        'x-call-id'?: string;
      };
      path: {
        toolName: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolEnvelope'];
      };
    };
    responses: {
      /** @description One result per tool call, in the order asked */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolReplies'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsApiKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ApiKey'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postIntegrationsApiKeys: {
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
      /** @description The new key */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewApiKey'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description There are 100 live keys already */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  deleteIntegrationsApiKeysByApiKeyId: {
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
      /** @description Revoked */
      204: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such live key of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsApprovedApi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The settings */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovedApiSettings'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putIntegrationsApprovedApi: {
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
                tokenUrl: string;
              };
          baseUrl: string;
        };
      };
    };
    responses: {
      /** @description The settings as they are now */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApprovedApiSettings'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  deleteIntegrationsApprovedApi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Removed, or there was none */
      204: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postIntegrationsApprovedApiTry: {
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
          /**
           * @description What fills the {parameters} of the path
           * @default {}
           */
          params?: {
            [key: string]: string;
          };
        };
      };
    };
    responses: {
      /** @description What came of it */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TriedAction'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description The action is not permitted, or no API is approved */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsCrm: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The settings */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CrmSettings'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putIntegrationsCrm: {
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
              url: string;
            };
      };
    };
    responses: {
      /** @description The settings as they are now */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CrmSettings'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsInbound: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The URLs */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['InboundUrl'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  deleteIntegrationsInboundByEventPreviousSecret: {
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
      /** @description Retired, or there was none */
      204: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such inbound event */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postIntegrationsInboundByEventRotateSecret: {
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
      /** @description The new secret */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            secret: string;
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such inbound event */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsOptOuts: {
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
      /** @description A page of phones */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postIntegrationsOptOuts: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
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
      /** @description The entry */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OptOut'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  deleteIntegrationsOptOutsByOptOutId: {
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
      /** @description Taken off the list */
      204: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such entry of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsOutbound: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The settings */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OutboundSettings'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putIntegrationsOutbound: {
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
      /** @description The settings as they are now */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OutboundSettings'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postIntegrationsOutboundRotateSecret: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new secret */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            secret: string;
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postIntegrationsOutboundTest: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery of the test event */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Delivery'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No URL is registered and enabled */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsPhoneNumbers: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The numbers */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['PhoneNumber'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putIntegrationsPhoneNumbers: {
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
      /** @description The numbers as they are now */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['PhoneNumber'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description A number or its platformId is in use already */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsProviders: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The providers */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ProviderSettings'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putIntegrationsProviders: {
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
      /** @description The providers as they are now */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ProviderSettings'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getIntegrationsRecoveryPolicy: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The policy */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryPolicy'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  putIntegrationsRecoveryPolicy: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoveryPolicy'];
      };
    };
    responses: {
      /** @description The policy as it is now */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryPolicy'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getMetadata: {
    parameters: {
      query?: {
        _format?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The CapabilityStatement */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['CapabilityStatement'];
        };
      };
      400: components['responses']['400'];
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      503: components['responses']['503'];
    };
  };
  getOpenapiJson: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1 */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            openapi: string;
          } & {
            [key: string]: unknown;
          };
        };
      };
      400: components['responses']['400'];
      503: components['responses']['503'];
    };
  };
  getOverview: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Counts */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Overview'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postPatientIntakeByToolName: {
    parameters: {
      query?: never;
      header?: {
        /** @description The platform's id of the call, where the body does not name it */
        'x-call-id'?: string;
      };
      path: {
        toolName: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolEnvelope'];
      };
    };
    responses: {
      /** @description One result per tool call, in the order asked */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolReplies'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      503: components['responses']['503'];
    };
  };
  postPatientJourneyByToolName: {
    parameters: {
      query?: never;
      header?: {
        /** @description The platform's id of the call, where the body does not name it */
        'x-call-id'?: string;
      };
      path: {
        toolName: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ToolEnvelope'];
      };
    };
    responses: {
      /** @description One result per tool call, in the order asked */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ToolReplies'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      404: components['responses']['404'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      503: components['responses']['503'];
    };
  };
  postPatientMatch: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/fhir+json': components['schemas']['MatchRequest'];
        'application/json': components['schemas']['MatchRequest'];
      };
    };
    responses: {
      /** @description A Bundle of the one patient */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': {
            entry: {
              fullUrl: string;
              resource: components['schemas']['Patient'];
            }[];
            link: {
              /** @enum {string} */
              relation: 'self' | 'next';
              url: string;
            }[];
            /** @constant */
            resourceType: 'Bundle';
            total: number;
            /** @constant */
            type: 'searchset';
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getPatients: {
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
      /** @description A page of patients */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postPatients: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
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
      /** @description The patient */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PatientRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getPatientsByPatientId: {
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
      /** @description The patient */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PatientRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such patient of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  patchPatientsByPatientId: {
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
      /** @description The patient */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PatientRecord'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such patient of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getProviders: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All of them, by name */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getProvidersByNameCalendar: {
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
      /** @description Both in order of time; cancelled appointments are left out */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such provider of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getSchedule: {
    parameters: {
      query: {
        _format?: string;
        actor: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The schedule */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': components['schemas']['Schedule'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such practitioner of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getSlot: {
    parameters: {
      query: {
        _count?: string;
        _cursor?: string;
        _format?: string;
        schedule: string;
        start?: string | string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Open slots in order of time */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/fhir+json': {
            entry: {
              fullUrl: string;
              resource: components['schemas']['Slot'];
            }[];
            link: {
              /** @enum {string} */
              relation: 'self' | 'next';
              url: string;
            }[];
            /** @constant */
            resourceType: 'Bundle';
            total: number;
            /** @constant */
            type: 'searchset';
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such practitioner of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The answer is wanted in another format than JSON */
      406: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getStaff: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The accounts */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['StaffAccount'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getStream: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A stream of events */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getTasks: {
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
      /** @description A page of tasks */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  patchTasksByTaskId: {
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
          /** @description An account of this clinic; null takes the task from whoever has it */
          assigneeId?: string | null;
          /**
           * @description RESOLVED resolves, OPEN reopens
           * @enum {string}
           */
          state?: 'OPEN' | 'RESOLVED';
        };
      };
    };
    responses: {
      /** @description The task */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Task'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such task or account of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postTryItRecovery: {
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
      /** @description Started */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
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
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description The calls of this clinic go to real phones */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postVoiceEvents: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VoiceEvent'];
      };
    };
    responses: {
      /** @description Heard; with an answer where the message asks for one */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VoiceReply'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      503: components['responses']['503'];
    };
  };
  postVoiceTestCalls: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          patientId?: string;
          phone?: string;
          recoveryCaseId?: string;
          /** @enum {string} */
          workflowType?:
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
    };
    responses: {
      /** @description The open call */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            callId: string;
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such patient or recovery case of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The recovery case has ended */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      413: components['responses']['413'];
      415: components['responses']['415'];
      429: components['responses']['429'];
      /** @description The workflow of the case could not be reached */
      503: {
        headers: {
          'retry-after': components['headers']['retry-after'];
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  getVoiceTools: {
    parameters: {
      query?: {
        assistant?:
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One definition per tool; put the voice secret where the header says so, or a credential of it */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tools: components['schemas']['ToolDefinition'][];
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getWorkflows: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        status?: 'started' | 'completed' | 'failed' | 'cancelled';
        workflowType?:
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of workflows */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Workflow'][];
            nextCursor: string | null;
          };
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  getWorkflowsByWorkflowId: {
    parameters: {
      query?: {
        wait?: number;
      };
      header?: never;
      path: {
        workflowId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The workflow */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Workflow'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such workflow of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  postWorkflowsByWorkflowIdCancel: {
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
      /** @description The cancelled workflow */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Workflow'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      /** @description No such workflow of this clinic */
      404: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      /** @description The workflow has ended already */
      409: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
      429: components['responses']['429'];
      /** @description The workflow could not be reached */
      503: {
        headers: {
          'retry-after': components['headers']['retry-after'];
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Error'];
        };
      };
    };
  };
  postWorkflowsStart: {
    parameters: {
      query?: never;
      header?: {
        /** @description The same key and body get the first answer again; the same key with another body is 422 */
        'Idempotency-Key'?: components['parameters']['Idempotency-Key'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          clinicId: string;
          context: {
            appointment?: {
              appointmentId: string;
              providerName?: string;
              startsAt?: string;
              visitType?: string;
            };
            followUp?: {
              dueBy?: string;
              note?: string;
            };
            payment?: {
              amountCents?: number;
              currency?: string;
              failureReason?: string;
              paymentId: string;
            };
            prescription?: {
              medicationName?: string;
              prescriptionId: string;
              previousStatus?: string;
              status?: string;
            };
            resumeUrl?: string;
            sessionId: string;
          };
          patient: {
            firstName: string;
            lastName: string;
            phone: string;
          };
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
    };
    responses: {
      /** @description Started, or already started for this session */
      200: {
        headers: {
          'x-request-id': components['headers']['x-request-id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StartedWorkflow'];
        };
      };
      400: components['responses']['400'];
      401: components['responses']['401'];
      403: components['responses']['403'];
      413: components['responses']['413'];
      415: components['responses']['415'];
      422: components['responses']['422'];
      429: components['responses']['429'];
      503: components['responses']['503'];
    };
  };
  'on.recovery_case.created': {
    parameters: {
      query?: never;
      header: {
        /** @description The same at every attempt of an event: the key to tell repeats by */
        'webhook-id': string;
        /** @description Standard Webhooks v1: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`; two while a secret is rotated */
        'webhook-signature': string;
        /** @description Seconds since 1970, of this attempt */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          clinicId: string;
          data: {
            patientFirstName: string;
            patientLastName: string;
            recoveryCaseId: string;
            sessionId: string;
          };
          /** @constant */
          event: 'recovery_case.created';
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          sentAt: string;
        };
      };
    };
    responses: {
      /** @description Delivered */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Disables the endpoint until it is registered again */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Tried again, over about three days */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'on.recovery_case.outcome': {
    parameters: {
      query?: never;
      header: {
        /** @description The same at every attempt of an event: the key to tell repeats by */
        'webhook-id': string;
        /** @description Standard Webhooks v1: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`; two while a secret is rotated */
        'webhook-signature': string;
        /** @description Seconds since 1970, of this attempt */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          clinicId: string;
          data: {
            recoveryCaseId: string;
            /** @enum {string} */
            recoveryStatus:
              | 'RECOVERED'
              | 'FOLLOW_UP_REQUIRED'
              | 'PRICING_ESCALATION'
              | 'CLINICAL_ESCALATION'
              | 'PATIENT_NOT_INTERESTED'
              | 'PATIENT_NOT_REACHED'
              | 'ALREADY_COMPLETED';
            sessionId: string;
          };
          /** @constant */
          event: 'recovery_case.outcome';
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          sentAt: string;
        };
      };
    };
    responses: {
      /** @description Delivered */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Disables the endpoint until it is registered again */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Tried again, over about three days */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'on.test': {
    parameters: {
      query?: never;
      header: {
        /** @description The same at every attempt of an event: the key to tell repeats by */
        'webhook-id': string;
        /** @description Standard Webhooks v1: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`; two while a secret is rotated */
        'webhook-signature': string;
        /** @description Seconds since 1970, of this attempt */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          clinicId: string;
          data: {
            message: string;
          };
          /** @constant */
          event: 'test';
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          sentAt: string;
        };
      };
    };
    responses: {
      /** @description Delivered */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Disables the endpoint until it is registered again */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Tried again, over about three days */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'on.workflow.completed': {
    parameters: {
      query?: never;
      header: {
        /** @description The same at every attempt of an event: the key to tell repeats by */
        'webhook-id': string;
        /** @description Standard Webhooks v1: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`; two while a secret is rotated */
        'webhook-signature': string;
        /** @description Seconds since 1970, of this attempt */
        'webhook-timestamp': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          clinicId: string;
          data: {
            outcome: string;
            sessionId: string;
            workflowId: string;
            workflowType: string;
          };
          /** @constant */
          event: 'workflow.completed';
          /**
           * Format: date-time
           * @description ISO 8601 instant in UTC with milliseconds
           */
          sentAt: string;
        };
      };
    };
    responses: {
      /** @description Delivered */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Disables the endpoint until it is registered again */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Tried again, over about three days */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
