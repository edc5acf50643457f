// ROS templates: the checks shared with CloudFormation, and what is ROS's own.

import { expect, test } from "bun:test";
import { validateDocuments } from "../../src/iac/documents.ts";

function check(text: string): string[] {
  const { findings } = validateDocuments([{ path: "stack.yml", text }]);
  return findings
    .filter(({ code }) => code.startsWith("ROS-"))
    .map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

test("a ROS template whose names all resolve raises nothing", () => {
  expect(
    check(`ROSTemplateFormatVersion: '2015-09-01'
Parameters:
  Env: {Type: String, Default: dev}
Conditions:
  IsDev: {Fn::Equals: [dev, {Ref: Env}]}
  IsHome: {Fn::Equals: [cn-hangzhou, {Ref: "ALIYUN::Region"}]}
  Both: {Fn::And: [IsDev, IsHome]}
  Not: {Fn::Not: IsDev}
Locals:
  Name: {Type: Macro, Value: {Fn::Sub: "\${Env}-web"}}
Resources:
  Server:
    Type: ALIYUN::ECS::InstanceGroup
    Count: 2
    Condition: Both
    Properties:
      InstanceName: !Ref Name
      Description: !Sub "\${ALIYUN::StackName} \${ALIYUN::Index}"
  Rule:
    Type: ALIYUN::ROS::WaitCondition
    DependsOn: Server
    Condition: Not
Outputs:
  First: {Value: !Ref "Server[0]"}
  Ids: {Value: {Fn::GetAtt: [Server, InstanceIds]}}
`),
  ).toEqual([]);
});

test("names that resolve to nothing are errors, pseudo parameters of AWS among them", () => {
  expect(
    check(`ROSTemplateFormatVersion: '2015-09-01'
Conditions:
  A: {Fn::Or: [Missing, {Fn::Equals: [a, b]}]}
Resources:
  Vpc:
    Type: ALIYUN::ECS::VPC
    Condition: A
    Properties:
      VpcName: !Ref AWS::Region
      CidrBlock: !GetAtt [Vsw, CidrBlock]
`),
  ).toEqual([
    '3:16 ROS-CONDITION The condition "Missing" is not declared under Conditions.',
    '9:21 ROS-REF Ref names "AWS::Region", but the template declares no parameter or resource of that name.',
    '10:27 ROS-REF GetAtt names "Vsw", but the template declares no resource of that name.',
  ]);
});

test("a ROS template of Terraform code needs no resources", () => {
  expect(
    check(`ROSTemplateFormatVersion: '2015-09-01'
Transform: Aliyun::Terraform-v1.2
Parameters:
  Name: {Type: String}
Workspace:
  main.tf: |
    variable "Name" {}
`),
  ).toEqual([]);
});

test("a template is ROS by its resource types, and broken text by its words", () => {
  expect(check("Resources: {A: {Type: 'ALIYUN::ECS::VPC', DependsOn: B}}\n")).toEqual([
    '1:54 ROS-REF DependsOn names "B", but the template declares no resource of that name. Did you mean A?',
  ]);
  expect(check("ROSTemplateFormatVersion: '2015-09-01'\nResources: {A: [}\n")[0]).toStartWith("2:");
});

test("a parameter that only narrows another one in the console is used", () => {
  expect(
    check(`ROSTemplateFormatVersion: '2015-09-01'
Parameters:
  Zone: {Type: String}
  Unused: {Type: String}
  Instance:
    Type: String
    AssociationPropertyMetadata: {ZoneId: "\${Zone}", Visible: {Condition: {Fn::Not: {Fn::Equals: ["\${Nowhere}", a]}}}}
Resources:
  A: {Type: "ALIYUN::ECS::Instance", Properties: {InstanceType: !Ref Instance}}
`),
  ).toEqual(['4:3 ROS-UNUSED The parameter "Unused" is never used.']);
});
